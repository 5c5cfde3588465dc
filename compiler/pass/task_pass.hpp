// SPDX-License-Identifier: Apache-2.0
// The task pass: gives task constructs and taskwaits of a module a second, inlined form for a
// thread that runs tasks at once. In two halves, the first and the last of clang's passes at -O1
// and above: what lies between sees about as much code as without it. docs/task-pass.md.
#pragma once

#include <llvm/IR/PassManager.h>

namespace heddle::pass {

/// Finds the constructs in the code that clang emits, and leaves a mark for each.
class MarkPass : public llvm::PassInfoMixin<MarkPass> {
public:
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

/// Replaces the marks by both forms of the construct.
class ExpandPass : public llvm::PassInfoMixin<ExpandPass> {
public:
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

} // namespace heddle::pass
