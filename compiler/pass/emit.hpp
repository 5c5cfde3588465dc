// SPDX-License-Identifier: Apache-2.0
// Small pieces of code that the pass emits in several places: words of heddle.h's structures, and
// functions of the module's own that all modules of a program share. Called by the rest of the
// pass; knows nothing of tasks.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace heddle::pass {

/// A new function that a program has once, and calls only by itself; never inlined. It has another
/// name if there is something of this one.
llvm::Function* own_function(llvm::Module& module, llvm::FunctionType* type, const char* name,
                             llvm::Comdat* group = nullptr);

/// Is this still what the pass makes of the type, as each module has it? What is internal may have
/// been changed together with all its uses, and stands for nothing but them.
bool is_shared(const llvm::GlobalValue* value, const llvm::Type* type);

/// Marks a call that answers the same whenever this thread makes it, so that it may be dropped.
void mark_constant(llvm::CallBase& call);

bool is_zero(const llvm::Value* value);

llvm::Value* address_of(llvm::IRBuilder<>& builder, llvm::Value* base, size_t byte);

/// Loads the word at `byte` of a structure.
llvm::Value* load_word(llvm::IRBuilder<>& builder, llvm::Type* type, llvm::Value* base, size_t byte,
                       const llvm::Twine& name = "");
void store_word(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Value* base, size_t byte);

/// The same of structures that the runtime writes and reads too: no sanitizer is to look at them,
/// for it has not seen the runtime do so.
llvm::Value* load_state(llvm::IRBuilder<>& builder, llvm::Type* type, llvm::Value* base,
                        size_t byte, const llvm::Twine& name = "");
void store_state(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Value* base, size_t byte);

/// A variable in the function's frame.
llvm::AllocaInst* bytes_on_stack(llvm::Function& function, uint64_t size, uint64_t alignment,
                                 const char* name);

/// Most of the time; not so often that the other side would count as cold.
llvm::MDNode* usually_true(llvm::LLVMContext& context);

} // namespace heddle::pass
