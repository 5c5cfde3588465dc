// SPDX-License-Identifier: Apache-2.0
// Goes through a module and has each construct that site recognises rewritten by immediate.
// Called by clang, through plugin, or by opt -passes=heddle-tasks.
#include "task_pass.hpp"

#include "immediate.hpp"

#include <llvm/IR/Module.h>

using namespace llvm;

namespace heddle::pass {

namespace {

/// Optimized for speed, and ordinary in that variables on its stack live as long as the call.
bool is_optimized(const Function& function) {
    return !function.isDeclaration() && !function.hasOptNone() && !function.hasMinSize() &&
           !function.isPresplitCoroutine();
}

/// Calls of kmpc functions by their names, in the order of the code.
SmallVector<CallInst*, 8> calls_of(Function& function, StringRef name) {
    SmallVector<CallInst*, 8> calls;
    for (BasicBlock& block : function)
        for (Instruction& instruction : block)
            if (auto* call = dyn_cast<CallInst>(&instruction); call && callee_name(*call) == name)
                calls.push_back(call);
    return calls;
}

/// The entry, and what it calls, may be called in the course of itself from now on. clang says of
/// them that they are not, for it only sees the runtime call them.
void may_recurse(Function& entry) {
    entry.removeFnAttr(Attribute::NoRecurse);
    for (BasicBlock& block : entry)
        for (Instruction& instruction : block)
            if (auto* call = dyn_cast<CallBase>(&instruction))
                if (Function* callee = call->getCalledFunction();
                    callee && !callee->isDeclaration())
                    callee->removeFnAttr(Attribute::NoRecurse);
}

bool rewrite(Function& function, ThreadState& threads) {
    auto allocations = calls_of(function, "__kmpc_omp_task_alloc");
    auto taskwaits = calls_of(function, "__kmpc_omp_taskwait");
    if (allocations.empty() && taskwaits.empty())
        return false;
    DominatorTree dominators(function);
    SmallVector<Site, 8> sites;
    SmallVector<Instruction*, 16> constructs;
    for (CallInst* allocation : allocations)
        if (dominators.isReachableFromEntry(allocation->getParent()))
            if (const std::optional<Site> site = recognise(*allocation)) {
                sites.push_back(*site);
                constructs.push_back(allocation);
            }
    erase_if(taskwaits, [&](CallInst* taskwait) {
        return !taskwait->use_empty() || !dominators.isReachableFromEntry(taskwait->getParent());
    });
    constructs.append(taskwaits.begin(), taskwaits.end());
    if (constructs.empty())
        return false;
    threads.find(dominators, constructs);
    for (const Site& site : sites) {
        may_recurse(*site.entry);
        run_inline(site, threads);
    }
    for (CallInst* taskwait : taskwaits)
        wait_inline(*taskwait, threads);
    // Nobody may need it any more.
    for (CallInst* number : calls_of(function, "__kmpc_global_thread_num"))
        mark_constant(*number);
    return true;
}

} // namespace

PreservedAnalyses TaskPass::run(Module& module, ModuleAnalysisManager&) {
    if (!module.getFunction("__kmpc_omp_task_alloc") && !module.getFunction("__kmpc_omp_taskwait"))
        return PreservedAnalyses::all();
    if (!ThreadState::is_known_for(module))
        return PreservedAnalyses::all();
    ThreadState threads(module);
    bool changed = false;
    SmallVector<Function*, 32> functions;
    for (Function& function : module)
        if (is_optimized(function))
            functions.push_back(&function);
    for (Function* function : functions)
        changed |= rewrite(*function, threads);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::pass
