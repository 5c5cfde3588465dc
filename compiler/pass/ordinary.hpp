// SPDX-License-Identifier: Apache-2.0
// The ordinary way of a task: allocated, filled and submitted by the runtime's functions. What a
// construct asks them for is written down in a constant, and functions of the module's own do the
// rest, so that a construct's own code for it is two short calls. Called by mark, for the
// constants, and by expand.
#pragma once

#include "site.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>

namespace heddle::pass {

/// What a construct's constant says.
struct Description {
    llvm::Value* place; ///< in the source
    llvm::Value* entry;
    uint64_t size;    ///< bytes of the task and its private variables
    uint64_t shareds; ///< bytes of pointers to shared variables
    uint64_t flags;   ///< of the task, but for final
};

class OrdinaryForm {
public:
    explicit OrdinaryForm(llvm::Module& module);

    /// A constant with a Description.
    llvm::Constant* describe(const Site& site);
    static Description read(const llvm::Value* construct);

    /// task = allocate(construct, final), to be filled; submit(place, task, undeferred). They have
    /// no argument in common, which would be kept in a register meanwhile.
    llvm::CallInst* allocate(llvm::IRBuilder<>& builder, llvm::Value* construct,
                             llvm::Value* is_final);
    void submit(llvm::IRBuilder<>& builder, llvm::Value* place, llvm::Value* task,
                llvm::Value* undeferred);
    /// __kmpc_omp_taskwait.
    void wait(llvm::IRBuilder<>& builder, llvm::Value* place);

private:
    llvm::Function* own(const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> arguments,
                        bool& made);

    llvm::Module& module_;
    llvm::StringMap<llvm::Function*> own_; ///< what own() answered
    llvm::Type *nothing_, *pointer_, *number_, *word_;
};

} // namespace heddle::pass
