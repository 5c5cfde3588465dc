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
    uint64_t flags;                               ///< of __kmpc_omp_task_alloc, but for final
    bool final_unknown; ///< it is seen only at run time whether it is final
    bool constructed;   ///< private variables cannot be moved: constructors made them
};

/// Where the words of kmp_task_t are; private variables follow.
inline constexpr uint64_t shareds_at = 0, entry_at = 8, part_at = 16, destructors_at = 24,
                          privates_at = 40;

/// Bits of the flags of __kmpc_omp_task_alloc. A task that is not tied has one part behind the
/// first, which is empty; destructors: private variables must be destroyed.
inline constexpr uint64_t tied = 1, final = 2, destructors = 8;

/// The function that `call` calls by its name, "" if it is no such call.
llvm::StringRef callee_name(const llvm::Instruction& instruction);

/// The construct that begins with `allocation`, if it is one that may be run inline.
std::optional<Site> recognise(llvm::CallInst& allocation);

} // namespace heddle::pass
