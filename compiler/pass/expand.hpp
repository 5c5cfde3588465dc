// SPDX-License-Identifier: Apache-2.0
// The second half of the pass: replaces a function's marks by the choice between the two forms of a
// construct, and its taskwaits by ones that do nothing where no child is outstanding. Called by
// task_pass, when LLVM is done with the function.
// What the emitted code does to the thread's state is what include/heddle.hpp does in spawn() and
// sync(); OpenMP 5.2 sections 12.5 and 15.5.
#pragma once

#include "ordinary.hpp"
#include "thread_state.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/PassManager.h>

namespace heddle::pass {

class Expansion {
public:
    Expansion(llvm::Module& module, llvm::FunctionAnalysisManager& analyses);

    /// All functions of the module. Returns whether there was anything to do.
    bool run();

private:
    struct Work;

    bool expand(llvm::Function& function);
    void expand_task(llvm::CallInst& mark, Work& work);
    void expand_memory(llvm::CallInst& mark);
    void expand_run(llvm::CallInst& mark, Work& work);
    void expand_wait(llvm::CallInst& taskwait);
    void run_at_once(llvm::Instruction* last, const Description& construct, llvm::Value* task,
                     Work& work);
    bool may_inline(llvm::CallInst& call, llvm::Function* entry);
    void clean_up(llvm::Function& function, Work& work);

    llvm::Module& module_;
    llvm::FunctionAnalysisManager& analyses_;
    ThreadState threads_;
    OrdinaryForm ordinary_;
    llvm::DenseSet<llvm::Function*> begun_, done_;
};

} // namespace heddle::pass
