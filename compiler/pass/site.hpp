// SPDX-License-Identifier: Apache-2.0
// Recognises the task constructs of a function that may be run inline: what clang generates from
// __kmpc_omp_task_alloc up to where the task is submitted. Only looks, changes nothing. A construct
// with anything but captured variables, if, final and untied clauses is not one of them.
// Facts: LLVM's OpenMP runtime interface; the code that clang 19 emits.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include <optional>

namespace heddle::pass {

/// A task construct.
struct Site {
    llvm::CallInst* allocation;                   ///< __kmpc_omp_task_alloc
    llvm::Function* entry;                        ///< of the task
    llvm::SmallVector<llvm::CallInst*, 2> ends;   ///< __kmpc_omp_task, or _complete_if0
    llvm::SmallVector<llvm::CallInst*, 1> begins; ///< __kmpc_omp_task_begin_if0
    uint64_t size;                                ///< bytes of the Task and its private variables
    uint64_t shareds;                             ///< bytes of pointers to shared variables
    uint64_t alignment;                           ///< that code relies on, of the task's memory
    bool untied;                                  ///< one part behind the first, which is empty
    bool destructors;                             ///< private variables must be destroyed
    bool final_unknown; ///< it is seen only at run time whether it is final
};

/// Bits of the flags of __kmpc_omp_task_alloc.
inline constexpr uint64_t tied = 1, final = 2, destructors = 8;

/// The function that `call` calls by its name, "" if it is no such call.
llvm::StringRef callee_name(const llvm::Instruction& instruction);

/// The construct that begins with `allocation`, if it is one that may be run inline.
std::optional<Site> recognise(llvm::CallInst& allocation);

/// Instructions from a construct's allocation to its ends, in all its blocks. Nothing if not every
/// way out passes an end, or something else leads in.
std::optional<llvm::SmallVector<llvm::Instruction*, 64>> instructions_of(const Site& site);

} // namespace heddle::pass
