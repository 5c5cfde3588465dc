// SPDX-License-Identifier: Apache-2.0
// Both forms of a construct begin with the captures on this stack. In the inline one the task's
// entry is called there, in the frame that the runtime would have pushed, and inlined if it is
// small; it has been optimized by itself before. What it reads of the task then never is in memory.
// The ordinary form stores the captures once more, in memory that the runtime gives.
#include "expand.hpp"

#include "emit.hpp"
#include "mark.hpp"

#include "heddle.h"

#include <cstddef>

#include <llvm/Analysis/InlineCost.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;

namespace heddle::pass {

namespace {

constexpr uint64_t not_inherited = HEDDLE_NOT_INHERITED, untied_bit = 1;

/// As LLVM's inliner would have it: bodies that cost more are called.
constexpr unsigned most_cost = 350, instruction_cost = 5, call_cost = 25;

bool is_untied(const Description& construct) { return (construct.flags & tied) == 0; }

bool is_small(const Function& function) {
    unsigned cost = 0;
    for (const BasicBlock& block : function)
        for (const Instruction& instruction : block)
            if (!isa<IntrinsicInst>(instruction)) {
                const auto* call = dyn_cast<CallBase>(&instruction);
                cost += call && !call->isInlineAsm() ? call_cost : instruction_cost;
            }
    return cost <= most_cost;
}

/// `a:`, but not the colon of `${0:w}`, an operand.
bool defines_label(StringRef assembly) {
    for (size_t at = assembly.find(':'); at != StringRef::npos; at = assembly.find(':', at + 1)) {
        const StringRef before = assembly.take_front(at);
        const size_t operand = before.rfind("${"), end = before.rfind('}');
        if (operand == StringRef::npos || (end != StringRef::npos && end > operand))
            return true;
    }
    return false;
}

/// May there be two of it? The entry itself stays, for the ordinary form.
bool may_be_copied(const Function& function) {
    return none_of(instructions(function), [](const Instruction& instruction) {
        const auto* call = dyn_cast<CallBase>(&instruction);
        const auto* assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
        return call &&
               (call->cannotDuplicate() || (assembly && defines_label(assembly->getAsmString())));
    });
}

/// Ends the block with the runtime's own question: does the next task run at once?
void choose(IRBuilder<>& builder, Value* thread, Value* is_final, BasicBlock* at_once,
            BasicBlock* ordinary) {
    Type* number = builder.getInt32Ty();
    Value* deferring = load_state(builder, number, thread, offsetof(heddle_thread, deferring));
    Value* wants = load_state(builder, number, thread, offsetof(heddle_thread, wants_tasks));
    // Relaxed: a stale answer defers a task later or earlier, and nothing else.
    cast<LoadInst>(wants)->setAtomic(AtomicOrdering::Monotonic);
    Value* reasons = builder.CreateOr(deferring, wants);
    if (!is_zero(is_final))
        reasons = builder.CreateOr(reasons, is_final);
    builder.CreateCondBr(builder.CreateIsNull(reasons), at_once, ordinary,
                         usually_true(builder.getContext()));
}

Value* nothing(IRBuilder<>& builder) { return ConstantPointerNull::get(builder.getPtrTy()); }

/// Fills in the frame of a task whose parent is the current one.
void set_up(IRBuilder<>& builder, bool untied, Value* current, Value* frame) {
    Value* inherited =
        load_state(builder, builder.getInt64Ty(), current, offsetof(heddle_frame, inherited));
    inherited = builder.CreateAnd(inherited, ~not_inherited);
    if (untied)
        inherited = builder.CreateOr(inherited, untied_bit);
    store_state(builder, current, frame, offsetof(heddle_frame, parent));
    store_state(builder, nothing(builder), frame, offsetof(heddle_frame, children));
    store_state(builder, inherited, frame, offsetof(heddle_frame, inherited));
}

/// The parent is the current task again, and takes over what children the task has left behind.
/// `last` is the block's last instruction, a branch.
void pop(Instruction* last, FunctionCallee leave_children, Value* thread, Value* frame) {
    IRBuilder<> builder(last);
    // Loaded again: a register for it would have to be saved in every call of the function.
    Value* parent = load_state(builder, builder.getPtrTy(), frame, offsetof(heddle_frame, parent),
                               "heddle.parent");
    store_state(builder, parent, thread, offsetof(heddle_thread, current));
    Value* children =
        load_state(builder, builder.getPtrTy(), frame, offsetof(heddle_frame, children));
    BasicBlock* after = last->getSuccessor(0);
    BasicBlock* leave =
        BasicBlock::Create(builder.getContext(), "heddle.leave", after->getParent(), after);
    builder.CreateCondBr(builder.CreateIsNull(children), after, leave,
                         MDBuilder(builder.getContext()).createLikelyBranchWeights());
    last->eraseFromParent();
    builder.SetInsertPoint(leave);
    builder.CreateCall(leave_children, {thread, frame})->setDoesNotThrow();
    store_state(builder, nothing(builder), frame, offsetof(heddle_frame, children));
    builder.CreateBr(after);
}

/// The blocks that a mark is replaced by; all but `before` end with a branch to `after`.
struct Fork {
    BasicBlock *before, *at_once, *ordinary, *after;
};

Fork fork_at(Instruction& mark) {
    Fork fork{};
    fork.before = mark.getParent();
    fork.ordinary = SplitBlock(fork.before, &mark);
    fork.ordinary->setName("heddle.ordinary");
    fork.after = SplitBlock(fork.ordinary, mark.getNextNode());
    fork.at_once = BasicBlock::Create(mark.getContext(), "heddle.at_once", fork.before->getParent(),
                                      fork.after);
    IRBuilder<> builder(fork.at_once);
    builder.SetCurrentDebugLocation(mark.getDebugLoc());
    builder.CreateBr(fork.after);
    fork.before->getTerminator()->eraseFromParent();
    return fork;
}

AllocaInst* new_frame(Function& function) {
    return bytes_on_stack(function, sizeof(heddle_frame), alignof(heddle_frame), "heddle.frame");
}

/// Whoever reads which part of an untied task is next finds the second.
void settle_part(AllocaInst& task) {
    for (User* user : make_early_inc_range(task.users())) {
        auto* part = dyn_cast<GetElementPtrInst>(user);
        APInt byte(64, 0);
        if (!part || !part->accumulateConstantOffset(task.getDataLayout(), byte) || byte != part_at)
            continue;
        SmallVector<LoadInst*, 2> loads;
        for (User* reader : part->users())
            if (auto* load = dyn_cast<LoadInst>(reader))
                loads.push_back(load);
        for (LoadInst* load : loads)
            replaceAndRecursivelySimplify(load, ConstantInt::get(load->getType(), 1));
    }
}

} // namespace

/// What there is to do in a function, and what has come of it.
struct Expansion::Work {
    SmallVector<CallInst*, 8> tasks, memories, runs, taskwaits;
    SmallVector<CallInst*, 8> entries; ///< calls of entries to be inlined
    SmallVector<AllocaInst*, 4> parts; ///< tasks whose part is known to be the second
    bool quiet = true;          ///< between its constructs nothing can change what tasks inherit
    AllocaInst* frames[2] = {}; ///< of a quiet function's tasks, tied and untied

    explicit Work(Function& function) {
        const bool waits = !function.hasOptNone() && !function.hasMinSize() &&
                           !function.getName().starts_with("heddle.");
        for (BasicBlock& block : function)
            for (Instruction& instruction : block)
                if (auto* call = dyn_cast<CallBase>(&instruction))
                    add(*call, waits);
    }

    void add(CallBase& instruction, bool waits) {
        const StringRef name = callee_name(instruction);
        auto* call = dyn_cast<CallInst>(&instruction);
        if (call && name == task_mark)
            tasks.push_back(call);
        else if (call && name == memory_mark)
            memories.push_back(call);
        else if (call && name == run_mark)
            runs.push_back(call);
        else if (call && waits && name == "__kmpc_omp_taskwait" && call->use_empty())
            taskwaits.push_back(call);
        else if (!instruction.onlyReadsMemory() && !isa<IntrinsicInst>(instruction))
            quiet = false;
    }

    SmallVector<Instruction*, 16> all() const {
        SmallVector<Instruction*, 16> constructs(tasks.begin(), tasks.end());
        for (const auto* some : {&memories, &runs, &taskwaits})
            constructs.append(some->begin(), some->end());
        return constructs;
    }
};

Expansion::Expansion(Module& module, FunctionAnalysisManager& analyses)
    : module_(module), analyses_(analyses), threads_(module), ordinary_(module) {}

bool Expansion::run() {
    SmallVector<Function*, 16> functions;
    for (const char* name : {task_mark, memory_mark, run_mark, "__kmpc_omp_taskwait"})
        if (Function* callee = module_.getFunction(name))
            for (User* user : callee->users())
                if (auto* call = dyn_cast<CallInst>(user); call)
                    functions.push_back(call->getFunction());
    bool changed = false;
    for (Function* function : functions)
        changed |= expand(*function);
    for (const char* name : {task_mark, memory_mark, run_mark})
        if (Function* callee = module_.getFunction(name); callee && callee->use_empty())
            callee->eraseFromParent();
    return changed;
}

/// Bodies before those who inline them, each once: a body that is inlined holds no marks.
bool Expansion::expand(Function& function) {
    if (!begun_.insert(&function).second)
        return false;
    const bool changed = removeUnreachableBlocks(function);
    Work work(function);
    const auto constructs = work.all();
    if (!constructs.empty()) {
        for (CallInst* task : work.tasks)
            if (auto* entry = dyn_cast<Function>(OrdinaryForm::read(task->getArgOperand(0)).entry))
                expand(*entry);
        DominatorTree dominators(function);
        // The address of something else would be kept in a register.
        Value* stack = nullptr;
        if (!work.tasks.empty() || !work.runs.empty())
            stack = bytes_on_stack(function, 1, 1, "heddle.stack");
        threads_.find(dominators, constructs, stack);
        for (CallInst* mark : work.tasks)
            expand_task(*mark, work);
        for (CallInst* mark : work.memories)
            expand_memory(*mark);
        for (CallInst* mark : work.runs)
            expand_run(*mark, work);
        for (CallInst* taskwait : work.taskwaits)
            expand_wait(*taskwait);
        clean_up(function, work);
    }
    done_.insert(&function);
    return changed || !constructs.empty();
}

/// Is it small, and would LLVM's inliner do it too? The target's features, and attributes, must go
/// together: vectors, for one, are passed in other registers with other features.
bool Expansion::may_inline(CallInst& call, Function* entry) {
    if (!entry || !done_.contains(entry) || entry->isDeclaration() ||
        entry->hasFnAttribute(Attribute::NoInline) || !is_small(*entry) || !may_be_copied(*entry) ||
        !isInlineViable(*entry).isSuccess())
        return false;
    const auto library = [this](Function& function) -> const TargetLibraryInfo& {
        return analyses_.getResult<TargetLibraryAnalysis>(function);
    };
    const std::optional<InlineResult> decision = getAttributeBasedInliningDecision(
        call, entry, analyses_.getResult<TargetIRAnalysis>(*entry), library);
    return !decision || decision->isSuccess();
}

/// From here to the block's end, which is `last`: the entry is called, in a frame of its own.
void Expansion::run_at_once(Instruction* last, const Description& construct, Value* task,
                            Work& work) {
    IRBuilder<> builder(last);
    const bool untied = is_untied(construct);
    AllocaInst*& shared = work.frames[untied];
    AllocaInst* frame = shared ? shared : new_frame(*last->getFunction());
    if (!shared) {
        IRBuilder<> early(threads_.found()->getNextNode());
        IRBuilder<>& place = work.quiet ? early : builder;
        set_up(place, untied, threads_.current(place), frame);
        if (work.quiet)
            shared = frame;
    }
    store_state(builder, frame, threads_.found(), offsetof(heddle_thread, current));
    // The first part of an untied task has nothing to do but ask for the second.
    store_word(builder, builder.getInt32(untied), task, part_at);
    auto* entry = dyn_cast<Function>(construct.entry);
    auto* type =
        FunctionType::get(builder.getInt32Ty(), {builder.getInt32Ty(), builder.getPtrTy()}, false);
    const bool numbered = !entry || entry->isDeclaration() || !entry->getArg(0)->use_empty();
    Value* number = numbered ? threads_.number(builder) : builder.getInt32(0);
    CallInst* call = builder.CreateCall(type, construct.entry, {number, task});
    call->setDoesNotThrow();
    if (auto* room = dyn_cast<AllocaInst>(task); room && may_inline(*call, entry)) {
        work.entries.push_back(call);
        if (untied)
            work.parts.push_back(room);
    }
    if ((construct.flags & destructors) != 0) {
        Value* destroy = load_word(builder, builder.getPtrTy(), task, destructors_at);
        builder.CreateCall(type, destroy, {threads_.number(builder), task})->setDoesNotThrow();
    }
    pop(last, threads_.leave_children(), threads_.found(), frame);
}

void Expansion::expand_task(CallInst& mark, Work& work) {
    Value *construct = mark.getArgOperand(0), *task = mark.getArgOperand(1),
          *shareds = mark.getArgOperand(2), *is_final = mark.getArgOperand(3),
          *undeferred = mark.getArgOperand(4);
    const Description description = OrdinaryForm::read(construct);
    const Fork fork = fork_at(mark);
    IRBuilder<> builder(fork.before);
    builder.SetCurrentDebugLocation(mark.getDebugLoc());
    choose(builder, threads_.found(), is_final, fork.at_once, fork.ordinary);

    builder.SetInsertPoint(&mark);
    CallInst* allocated = ordinary_.allocate(builder, construct, is_final);
    const uint64_t privates = description.size - privates_at;
    if (privates != 0)
        builder.CreateMemCpy(address_of(builder, allocated, privates_at), Align(8),
                             address_of(builder, task, privates_at), Align(8), privates);
    // An empty structure has one byte.
    if (description.shareds > 1)
        builder.CreateMemCpy(load_state(builder, builder.getPtrTy(), allocated, shareds_at),
                             Align(8), shareds, Align(8), description.shareds);
    ordinary_.submit(builder, description.place, allocated, undeferred);

    run_at_once(fork.at_once->getTerminator(), description, task, work);
    mark.eraseFromParent();
}

void Expansion::expand_memory(CallInst& mark) {
    Value *construct = mark.getArgOperand(0), *room = mark.getArgOperand(1),
          *shareds = mark.getArgOperand(2), *is_final = mark.getArgOperand(3);
    const Fork fork = fork_at(mark);
    IRBuilder<> builder(fork.before);
    builder.SetCurrentDebugLocation(mark.getDebugLoc());
    choose(builder, threads_.found(), is_final, fork.at_once, fork.ordinary);
    builder.SetInsertPoint(&mark);
    CallInst* allocated = ordinary_.allocate(builder, construct, is_final);
    builder.SetInsertPoint(fork.at_once->getTerminator());
    store_word(builder, shareds, room, shareds_at);
    builder.SetInsertPoint(fork.after, fork.after->begin());
    PHINode* task = builder.CreatePHI(builder.getPtrTy(), 2, "heddle.place");
    task->addIncoming(room, fork.at_once);
    task->addIncoming(allocated, fork.ordinary);
    mark.replaceAllUsesWith(task);
    mark.eraseFromParent();
}

void Expansion::expand_run(CallInst& mark, Work& work) {
    Value *construct = mark.getArgOperand(0), *task = mark.getArgOperand(1),
          *room = mark.getArgOperand(2), *undeferred = mark.getArgOperand(3);
    const Description description = OrdinaryForm::read(construct);
    const Fork fork = fork_at(mark);
    IRBuilder<> builder(fork.before);
    builder.SetCurrentDebugLocation(mark.getDebugLoc());
    builder.CreateCondBr(builder.CreateICmpEQ(task, room), fork.at_once, fork.ordinary,
                         usually_true(builder.getContext()));
    builder.SetInsertPoint(&mark);
    ordinary_.submit(builder, description.place, task, undeferred);
    builder.SetInsertPoint(fork.at_once->getTerminator());
    run_at_once(fork.at_once->getTerminator(), description, task, work);
    mark.eraseFromParent();
}

void Expansion::expand_wait(CallInst& taskwait) {
    const Fork fork = fork_at(taskwait);
    IRBuilder<> builder(fork.before);
    builder.SetCurrentDebugLocation(taskwait.getDebugLoc());
    Value* children = load_state(builder, builder.getPtrTy(), threads_.current(builder),
                                 offsetof(heddle_frame, children));
    builder.CreateCondBr(builder.CreateIsNull(children), fork.after, fork.ordinary,
                         usually_true(builder.getContext()));
    DeleteDeadBlock(fork.at_once);
    builder.SetInsertPoint(&taskwait);
    ordinary_.wait(builder, taskwait.getArgOperand(0));
    taskwait.eraseFromParent();
    // A taskwait implies a flush: as the call would, it keeps the compiler from moving accesses.
    builder.SetInsertPoint(fork.after, fork.after->begin());
    builder.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
}

/// Bodies go where they are called, and what they read of the task into registers.
void Expansion::clean_up(Function& function, Work& work) {
    for (CallInst* entry : work.entries) {
        InlineFunctionInfo info;
        InlineFunction(*entry, info, true);
    }
    if (!work.parts.empty()) {
        for (AllocaInst* task : work.parts)
            settle_part(*task);
        for (BasicBlock& block : function)
            ConstantFoldTerminator(&block, true);
        removeUnreachableBlocks(function);
    }
    if (!work.tasks.empty()) {
        analyses_.invalidate(function, PreservedAnalyses::none());
        SROAPass(SROAOptions::PreserveCFG).run(function, analyses_);
    }
    for (Instruction& instruction : make_early_inc_range(instructions(function)))
        if (callee_name(instruction) == "__kmpc_global_thread_num" && instruction.use_empty())
            instruction.eraseFromParent();
        else if (isInstructionTriviallyDead(&instruction))
            instruction.eraseFromParent();
}

} // namespace heddle::pass
