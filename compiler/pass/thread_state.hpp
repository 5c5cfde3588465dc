// SPDX-License-Identifier: Apache-2.0
// What generated code knows of Heddle: where the calling thread's state lies, the words of it that
// include/heddle.h describes, and the thread's number as kmpc functions want it. Called by the
// pass. Generated code finds the state at a distance from the thread pointer that a constructor
// asks for once; the distance is 0, and no task is run inline, where another runtime is loaded.
// There, and before the thread's first call of the runtime, nobody()'s state is found, who defers
// all tasks.
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>

namespace heddle::pass {

/// The module's references to the runtime, made when first asked for.
class ThreadState {
public:
    explicit ThreadState(llvm::Module& module) : module_(module) {}

    /// Is generated code for this machine able to find the state?
    static bool is_known_for(const llvm::Module& module);

    /// Emits what finds the calling thread's state, once in a call of the function, on the way to
    /// all of the `constructs`, which are what it is then good for.
    /// `stack` is nullptr, or something on it: nobody is found where the stack is used up.
    void find(llvm::DominatorTree& dominators, llvm::ArrayRef<llvm::Instruction*> constructs,
              llvm::Value* stack);

    /// What find() found: heddle_thread*.
    llvm::Instruction* found() const { return thread_; }

    /// Emits what says which task is the current one: heddle_frame*.
    llvm::Value* current(llvm::IRBuilder<>& builder);

    /// The number of the calling thread, as kmpc functions take it. The call may be dropped if
    /// nobody uses it.
    llvm::Value* number(llvm::IRBuilder<>& builder);

    /// heddle_leave_children(thread, frame).
    llvm::FunctionCallee leave_children();

private:
    llvm::GlobalVariable* offset();
    llvm::GlobalVariable* nobody();

    llvm::Module& module_;
    llvm::GlobalVariable *offset_ = nullptr, *nobody_ = nullptr;
    llvm::Function* number_ = nullptr;
    llvm::Instruction* thread_ = nullptr; ///< in the function that was last asked about
};

} // namespace heddle::pass
