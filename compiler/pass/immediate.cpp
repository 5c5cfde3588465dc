// SPDX-License-Identifier: Apache-2.0
// The code of a construct, from its allocation to its ends, is there twice afterwards: as it was,
// and with the task's memory on the stack, the frame that the runtime would have pushed, and the
// direct call of the entry, which the inliner sees. So captures are copied, and copy constructors
// called, by the same code in both.
#include "immediate.hpp"

#include "heddle.h"

#include <cstddef>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;

namespace heddle::pass {

namespace {

// kmp_task_t
constexpr size_t shareds_at = 0, routine_at = 8, part_at = 16, destructors_at = 24;

constexpr uint64_t not_inherited = HEDDLE_NOT_INHERITED, untied_bit = 1;

/// Values that others use than the construct's own code go through a variable from now on: there
/// will be two of each.
void demote_results(ArrayRef<Instruction*> instructions, const Site& site) {
    const SmallPtrSet<const User*, 32> inside(instructions.begin(), instructions.end());
    for (Instruction* instruction : instructions)
        if (instruction != site.allocation &&
            any_of(instruction->users(), [&](User* user) { return !inside.contains(user); }))
            DemoteRegToStack(*instruction);
}

/// The blocks of a construct, that have been cut where it begins and ends.
SmallVector<BasicBlock*, 8> cut_out(const Site& site) {
    BasicBlock* first = SplitBlock(site.allocation->getParent(), site.allocation);
    first->setName("heddle.ordinary");
    SmallPtrSet<BasicBlock*, 8> exits;
    for (CallInst* end : site.ends)
        exits.insert(SplitBlock(end->getParent(), end->getNextNode()));
    SmallVector<BasicBlock*, 8> blocks{first};
    SmallPtrSet<BasicBlock*, 8> seen{first};
    for (size_t next = 0; next < blocks.size(); ++next)
        for (BasicBlock* successor : successors(blocks[next]))
            if (!exits.contains(successor) && !successor->isEHPad() &&
                seen.insert(successor).second)
                blocks.push_back(successor);
    return blocks;
}

/// Copies the blocks; `values` says what has become of what.
SmallVector<BasicBlock*, 8> duplicate(ArrayRef<BasicBlock*> blocks, ValueToValueMapTy& values) {
    SmallVector<BasicBlock*, 8> copies;
    for (BasicBlock* block : blocks) {
        BasicBlock* another = CloneBasicBlock(block, values, ".heddle", block->getParent());
        values[block] = another;
        copies.push_back(another);
    }
    remapInstructionsInBlocks(copies, values);
    for (BasicBlock* block : blocks)
        for (BasicBlock* successor : successors(block))
            if (!is_contained(blocks, successor))
                for (PHINode& phi : successor->phis())
                    if (phi.getBasicBlockIndex(cast<BasicBlock>(values[block])) < 0) {
                        Value* value = phi.getIncomingValueForBlock(block);
                        Value* mapped = values.lookup(value);
                        phi.addIncoming(mapped ? mapped : value, cast<BasicBlock>(values[block]));
                    }
    return copies;
}

/// The variables of a task that runs on this stack.
struct Room {
    AllocaInst* frame;   ///< heddle_frame; the address of one for all would be kept in a register
    AllocaInst* task;    ///< kmp_task_t and the private variables
    AllocaInst* shareds; ///< nullptr without any
};

AllocaInst* bytes_on_stack(Function& function, uint64_t size, uint64_t alignment,
                           const char* name) {
    BasicBlock& entry = function.getEntryBlock();
    IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
    AllocaInst* bytes =
        builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), size), nullptr, name);
    bytes->setAlignment(Align(alignment));
    return bytes;
}

Room make_room(const Site& site) {
    Function& function = *site.allocation->getFunction();
    return {bytes_on_stack(function, sizeof(heddle_frame), alignof(heddle_frame), "heddle.frame"),
            bytes_on_stack(function, site.size, site.alignment, "heddle.task"),
            site.shareds ? bytes_on_stack(function, site.shareds, 16, "heddle.shareds") : nullptr};
}

/// Ends the block with the runtime's own question: does the next task run at once?
void choose(IRBuilder<>& builder, const Site& site, Value* thread, const Room& room,
            BasicBlock* at_once, BasicBlock* ordinary) {
    Type* number = builder.getInt32Ty();
    Value* deferring = load_word(builder, number, thread, offsetof(heddle_thread, deferring), "");
    Value* wants = load_word(builder, number, thread, offsetof(heddle_thread, wants_tasks), "");
    // Relaxed: a stale answer defers a task later or earlier, and nothing else.
    cast<LoadInst>(wants)->setAtomic(AtomicOrdering::Monotonic);
    Value* reasons = builder.CreateOr(deferring, wants);
    if (site.final_unknown)
        reasons = builder.CreateOr(
            reasons, builder.CreateAnd(site.allocation->getArgOperand(2), builder.getInt32(final)));
    LLVMContext& context = builder.getContext();
    BasicBlock* shallow =
        BasicBlock::Create(context, "heddle.content", at_once->getParent(), at_once);
    builder.CreateCondBr(builder.CreateIsNull(reasons), shallow, ordinary, usually_true(context));
    builder.SetInsertPoint(shallow);
    Value* limit =
        load_word(builder, builder.getPtrTy(), thread, offsetof(heddle_thread, stack_limit), "");
    builder.CreateCondBr(builder.CreateICmpUGT(room.frame, limit), at_once, ordinary,
                         usually_true(context));
}

/// What task_alloc does, for a task on this stack.
void set_up(IRBuilder<>& builder, const Site& site, const Room& room) {
    builder.CreateLifetimeStart(room.task, builder.getInt64(site.size));
    Value* shareds = ConstantPointerNull::get(builder.getPtrTy());
    if (room.shareds) {
        builder.CreateLifetimeStart(room.shareds, builder.getInt64(site.shareds));
        shareds = room.shareds;
    }
    store_word(builder, shareds, room.task, shareds_at);
    store_word(builder, site.entry, room.task, routine_at);
    store_word(builder, builder.getInt32(0), room.task, part_at);
}

/// The new task becomes the current one.
void push(IRBuilder<>& builder, const Site& site, const Position& at, const Room& room) {
    Value* inherited =
        load_word(builder, builder.getInt64Ty(), at.current, offsetof(heddle_frame, inherited), "");
    inherited = builder.CreateAnd(inherited, ~not_inherited);
    if (site.untied)
        inherited = builder.CreateOr(inherited, untied_bit);
    store_word(builder, at.current, room.frame, offsetof(heddle_frame, parent));
    store_word(builder, ConstantPointerNull::get(builder.getPtrTy()), room.frame,
               offsetof(heddle_frame, children));
    store_word(builder, inherited, room.frame, offsetof(heddle_frame, inherited));
    store_word(builder, room.frame, at.thread, offsetof(heddle_thread, current));
}

/// The private variables are destroyed; then the parent is the current task again, and takes over
/// what children the task has left behind. `last` is the block's last instruction.
void pop(const Site& site, ThreadState& threads, const Position& at, const Room& room,
         Instruction* last, const DebugLoc& place) {
    IRBuilder<> builder(last);
    builder.SetCurrentDebugLocation(place);
    if (site.destructors) {
        Value* thunk = load_word(builder, builder.getPtrTy(), room.task, destructors_at, "");
        builder
            .CreateCall(site.entry->getFunctionType(), thunk,
                        {threads.number(builder, true), room.task})
            ->setDoesNotThrow();
    }
    // Loaded again: a register for it would have to be saved in every call of the function.
    Value* parent = load_word(builder, builder.getPtrTy(), room.frame,
                              offsetof(heddle_frame, parent), "heddle.parent");
    store_word(builder, parent, at.thread, offsetof(heddle_thread, current));
    Value* children =
        load_word(builder, builder.getPtrTy(), room.frame, offsetof(heddle_frame, children), "");
    Value* left = builder.CreateIsNotNull(children);
    MDNode* rarely = MDBuilder(builder.getContext()).createUnlikelyBranchWeights();
    Instruction* then = SplitBlockAndInsertIfThen(left, last, false, rarely);
    IRBuilder<> rare(then);
    rare.SetCurrentDebugLocation(place);
    rare.CreateCall(threads.leave_children(), {at.thread, room.frame})->setDoesNotThrow();
    builder.SetInsertPoint(last);
    if (room.shareds)
        builder.CreateLifetimeEnd(room.shareds, builder.getInt64(site.shareds));
    builder.CreateLifetimeEnd(room.task, builder.getInt64(site.size));
}

/// From here to the call's end: the entry is called, in a frame of its own.
void run_entry(const Site& site, ThreadState& threads, const Position& at, const Room& room,
               CallInst* submission) {
    IRBuilder<> builder(submission);
    push(builder, site, at, room);
    if (site.untied) // the first part has nothing to do but ask for the second
        store_word(builder, builder.getInt32(1), room.task, part_at);
    builder.CreateCall(site.entry, {threads.number(builder, true), room.task})->setDoesNotThrow();
    Instruction* last = submission->getParent()->getTerminator();
    const DebugLoc place = submission->getDebugLoc();
    submission->eraseFromParent();
    pop(site, threads, at, room, last, place);
}

/// The undeferred form: begin_if0, the entry's call, complete_if0 in one block.
void run_undeferred(const Site& site, ThreadState& threads, const Position& at, const Room& room,
                    CallInst* begin, CallInst* complete) {
    IRBuilder<> builder(begin);
    push(builder, site, at, room);
    if (site.untied)
        store_word(builder, builder.getInt32(1), room.task, part_at);
    for (Instruction* i = begin; i != complete; i = i->getNextNode())
        if (auto* call = dyn_cast<CallInst>(i); call && call->getCalledFunction() == site.entry) {
            builder.SetInsertPoint(call);
            call->setArgOperand(0, threads.number(builder, true));
        }
    begin->eraseFromParent();
    Instruction* last = complete->getParent()->getTerminator();
    const DebugLoc place = complete->getDebugLoc();
    complete->eraseFromParent();
    pop(site, threads, at, room, last, place);
}

/// The thread's number is asked for where it is needed, by each call anew: the ordinary form is
/// taken rarely, and a register for it would have to be saved in every call of the function.
void ask_for_number(ArrayRef<BasicBlock*> blocks, const Site& site, ThreadState& threads) {
    SmallVector<CallInst*, 4> calls;
    for (BasicBlock* block : blocks)
        for (Instruction& instruction : *block)
            if (auto* call = dyn_cast<CallInst>(&instruction);
                call && (call->getCalledFunction() == site.entry ||
                         callee_name(*call).starts_with("__kmpc_omp_task")))
                calls.push_back(call);
    for (CallInst* call : calls) {
        IRBuilder<> builder(call);
        const bool is_entry = call->getCalledFunction() == site.entry;
        call->setArgOperand(is_entry ? 0 : 1, threads.number(builder, false));
        // The optimizer takes omp_in_final() to be the same in all of a function; it is, but for
        // the final task here.
        if (is_entry && site.final_unknown)
            call->setIsNoInline();
    }
}

} // namespace

void run_inline(const Site& site, ThreadState& threads) {
    demote_results(*instructions_of(site), site);
    BasicBlock* head = site.allocation->getParent();
    const auto blocks = cut_out(site);
    const Room room = make_room(site);
    head = blocks[0]->getSinglePredecessor();
    ValueToValueMapTy values;
    const auto copies = duplicate(blocks, values);

    head->getTerminator()->eraseFromParent();
    IRBuilder<> builder(head);
    builder.SetCurrentDebugLocation(site.allocation->getDebugLoc());
    const Position at = threads.at(builder);
    choose(builder, site, at.thread, room, copies[0], blocks[0]);
    ask_for_number(blocks, site, threads);

    auto* allocation = cast<CallInst>(values[site.allocation]);
    builder.SetInsertPoint(allocation);
    set_up(builder, site, room);
    allocation->replaceAllUsesWith(room.task);
    allocation->eraseFromParent();
    for (CallInst* end : site.ends) {
        auto* copied = cast<CallInst>(values[end]);
        CallInst* begin = nullptr;
        for (CallInst* candidate : site.begins)
            if (candidate->getParent() == end->getParent())
                begin = cast<CallInst>(values[candidate]);
        if (begin)
            run_undeferred(site, threads, at, room, begin, copied);
        else
            run_entry(site, threads, at, room, copied);
    }
}

void wait_inline(CallInst& taskwait, ThreadState& threads) {
    BasicBlock* head = taskwait.getParent();
    BasicBlock* ordinary = SplitBlock(head, &taskwait);
    ordinary->setName("heddle.wait");
    BasicBlock* done = SplitBlock(ordinary, taskwait.getNextNode());
    IRBuilder<> builder(&taskwait);
    taskwait.setArgOperand(1, threads.number(builder, false));

    head->getTerminator()->eraseFromParent();
    builder.SetInsertPoint(head);
    builder.SetCurrentDebugLocation(taskwait.getDebugLoc());
    const Position at = threads.at(builder);
    Value* children =
        load_word(builder, builder.getPtrTy(), at.current, offsetof(heddle_frame, children), "");
    builder.CreateCondBr(builder.CreateIsNull(children), done, ordinary,
                         usually_true(builder.getContext()));
    // A taskwait implies a flush: as the call would, it keeps the compiler from moving accesses.
    builder.SetInsertPoint(done, done->begin());
    builder.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
}

} // namespace heddle::pass
