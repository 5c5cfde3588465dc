// SPDX-License-Identifier: Apache-2.0
// The task pass: gives task constructs and taskwaits of a module a second, inlined form for a
// thread that runs tasks at once. Runs first of all passes, at -O1 and above; docs/task-pass.md.
#pragma once

#include <llvm/IR/PassManager.h>

namespace heddle::pass {

class TaskPass : public llvm::PassInfoMixin<TaskPass> {
public:
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

} // namespace heddle::pass
