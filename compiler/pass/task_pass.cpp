// SPDX-License-Identifier: Apache-2.0
// Goes through a module: each construct that site recognises is replaced by mark, and the marks in
// the end by expand. Called by clang, through plugin, or by opt.
#include "task_pass.hpp"

#include "emit.hpp"
#include "expand.hpp"
#include "mark.hpp"

using namespace llvm;

namespace heddle::pass {

namespace {

/// Are variables on this stack where the thread's stack is, by their addresses?
bool has_plain_stack(const Function& function) {
    return none_of(
        ArrayRef{Attribute::SafeStack, Attribute::SanitizeHWAddress, Attribute::SanitizeMemTag},
        [&](Attribute::AttrKind kind) { return function.hasFnAttribute(kind); });
}

/// Optimized for speed, and ordinary in that variables on its stack live as long as the call.
bool is_optimized(const Function& function) {
    return !function.isDeclaration() && !function.hasOptNone() && !function.hasMinSize() &&
           !function.isPresplitCoroutine() && has_plain_stack(function);
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

/// Replaces the constructs of a function by marks.
bool mark_all(Function& function, OrdinaryForm& ordinary) {
    SmallVector<Site, 8> sites;
    for (CallInst* allocation : calls_of(function, "__kmpc_omp_task_alloc"))
        if (const std::optional<Site> site = recognise(*allocation))
            sites.push_back(*site);
    for (const Site& site : sites) {
        may_recurse(*site.entry);
        mark(site, ordinary);
    }
    // Nobody may need it any more.
    if (!sites.empty())
        for (CallInst* number : calls_of(function, "__kmpc_global_thread_num"))
            mark_constant(*number);
    return !sites.empty();
}

} // namespace

PreservedAnalyses MarkPass::run(Module& module, ModuleAnalysisManager&) {
    if (!module.getFunction("__kmpc_omp_task_alloc") || !ThreadState::is_known_for(module))
        return PreservedAnalyses::all();
    OrdinaryForm ordinary(module);
    bool changed = false;
    for (Function& function : module)
        if (is_optimized(function))
            changed |= mark_all(function, ordinary);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses ExpandPass::run(Module& module, ModuleAnalysisManager& analyses) {
    if (!ThreadState::is_known_for(module))
        return PreservedAnalyses::all();
    auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    return Expansion(module, functions).run() ? PreservedAnalyses::none()
                                              : PreservedAnalyses::all();
}

} // namespace heddle::pass
