// SPDX-License-Identifier: Apache-2.0
// A construct's code stays as clang made it, but for the allocation, which becomes variables on the
// stack, and the ends. Captures are so copied by one piece of code, whichever form is taken; where
// they can be moved the ordinary form copies them once more. The two ends that an if clause makes
// become one.
#include "mark.hpp"

#include "emit.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace heddle::pass {

namespace {

/// The variables of a task that runs on this stack.
struct Room {
    AllocaInst* task;
    AllocaInst* shareds; ///< nullptr without any
};

/// Emits the call of a mark. It stands for more code than can be seen: loops are not unrolled for
/// it, nor is the function inlined in several places; and two marks never become one.
CallInst* emit_mark(IRBuilder<>& builder, const char* name, Type* result,
                    ArrayRef<Value*> arguments) {
    SmallVector<Type*, 5> types;
    for (Value* argument : arguments)
        types.push_back(argument->getType());
    CallInst* call = builder.CreateCall(builder.GetInsertBlock()->getModule()->getOrInsertFunction(
                                            name, FunctionType::get(result, types, false)),
                                        arguments);
    call->setDoesNotThrow();
    call->addFnAttr(Attribute::NoMerge);
    call->setCannotDuplicate();
    return call;
}

Value* shareds_or_null(IRBuilder<>& builder, const Room& room) {
    return room.shareds ? static_cast<Value*>(room.shareds)
                        : ConstantPointerNull::get(builder.getPtrTy());
}

void begin_lifetimes(IRBuilder<>& builder, const Site& site, const Room& room) {
    builder.CreateLifetimeStart(room.task, builder.getInt64(site.size));
    if (room.shareds)
        builder.CreateLifetimeStart(room.shareds, builder.getInt64(site.shareds));
}

/// The call in the end's block that begins an undeferred task, if it is one.
CallInst* begin_of(const Site& site, const CallInst* end) {
    for (CallInst* begin : site.begins)
        if (begin->getParent() == end->getParent())
            return begin;
    return nullptr;
}

/// Says that an untied task begins with its first part, which every new task does.
bool begins_with_first_part(const Instruction& instruction, const Value* task) {
    const auto* store = dyn_cast<StoreInst>(&instruction);
    if (!store || !is_zero(store->getValueOperand()))
        return false;
    APInt byte(64, 0);
    return store->getPointerOperand()->stripAndAccumulateConstantOffsets(
               instruction.getDataLayout(), byte, true) == task &&
           byte == part_at;
}

/// Does the block hold nothing but the construct's end?
bool is_nothing_else(const BasicBlock& block, const Site& site, const Value* task) {
    return all_of(block, [&](const Instruction& instruction) {
        if (isa<GetElementPtrInst>(instruction) || begins_with_first_part(instruction, task))
            return true;
        const auto* call = dyn_cast<CallInst>(&instruction);
        return instruction.isTerminator() || is_contained(site.ends, call) ||
               is_contained(site.begins, call) || isa<DbgInfoIntrinsic>(instruction) ||
               (call && (call->getCalledFunction() == site.entry ||
                         callee_name(*call) == "__kmpc_global_thread_num"));
    });
}

/// The branch of an if clause whose two sides hold the two ends and go on in the same block.
BranchInst* if_clause_of(const Site& site, const Value* task) {
    if (site.ends.size() != 2)
        return nullptr;
    BasicBlock* one = site.ends[0]->getParent();
    BasicBlock* other = site.ends[1]->getParent();
    BasicBlock* before = one->getSinglePredecessor();
    if (one == other || !before || before != other->getSinglePredecessor() ||
        !one->getSingleSuccessor() || one->getSingleSuccessor() != other->getSingleSuccessor() ||
        !is_nothing_else(*one, site, task) || !is_nothing_else(*other, site, task))
        return nullptr;
    return dyn_cast<BranchInst>(before->getTerminator());
}

/// Takes out what the end consists of; returns what stood behind it.
Instruction* remove_end(const Site& site, CallInst* end, const Value* task) {
    for (Instruction& instruction : make_early_inc_range(*end->getParent()))
        if (begins_with_first_part(instruction, task))
            instruction.eraseFromParent();
    if (CallInst* begin = begin_of(site, end)) {
        for (Instruction& instruction :
             make_early_inc_range(make_range(begin->getIterator(), end->getIterator())))
            if (auto* call = dyn_cast<CallInst>(&instruction);
                call && call->getCalledFunction() == site.entry)
                call->eraseFromParent();
        begin->eraseFromParent();
    }
    Instruction* next = end->getNextNode();
    end->eraseFromParent();
    return next;
}

/// What is done with the task, whose captures are there.
class Ends {
public:
    Ends(const Site& site, Constant* construct, const Room& room, Value* task, Value* is_final)
        : site_(site), construct_(construct), room_(room), task_(task), final_(is_final) {}

    void mark_all() const {
        if (BranchInst* choice = if_clause_of(site_, task_)) {
            IRBuilder<> builder(choice);
            builder.SetCurrentDebugLocation(site_.ends[0]->getDebugLoc());
            CallInst* first = site_.ends[0];
            if (choice->getSuccessor(0) != first->getParent())
                first = site_.ends[1];
            const bool first_undeferred = begin_of(site_, first) != nullptr;
            mark_here(builder, builder.CreateSelect(choice->getCondition(),
                                                    builder.getInt32(first_undeferred),
                                                    builder.getInt32(!first_undeferred)));
            for (CallInst* end : site_.ends)
                remove_end(site_, end, task_);
            return;
        }
        for (CallInst* end : site_.ends) {
            const DebugLoc place = end->getDebugLoc();
            const bool undeferred = begin_of(site_, end) != nullptr;
            IRBuilder<> builder(remove_end(site_, end, task_));
            builder.SetCurrentDebugLocation(place);
            mark_here(builder, builder.getInt32(undeferred));
        }
    }

private:
    void mark_here(IRBuilder<>& builder, Value* undeferred) const {
        Type* nothing = builder.getVoidTy();
        if (site_.constructed)
            emit_mark(builder, run_mark, nothing, {construct_, task_, room_.task, undeferred});
        else
            emit_mark(builder, task_mark, nothing,
                      {construct_, task_, shareds_or_null(builder, room_), final_, undeferred});
        builder.CreateLifetimeEnd(room_.task, builder.getInt64(site_.size));
        if (room_.shareds)
            builder.CreateLifetimeEnd(room_.shareds, builder.getInt64(site_.shareds));
    }

    const Site& site_;
    Constant* construct_;
    const Room& room_;
    Value *task_, *final_;
};

} // namespace

void mark(const Site& site, OrdinaryForm& ordinary) {
    Function& function = *site.allocation->getFunction();
    const Room room{bytes_on_stack(function, site.size, site.alignment, "heddle.room"),
                    site.shareds ? bytes_on_stack(function, site.shareds, 16, "heddle.shareds")
                                 : nullptr};
    IRBuilder<> builder(site.allocation);
    begin_lifetimes(builder, site, room);
    Constant* construct = ordinary.describe(site);
    Value* final_bit = builder.getInt32(0);
    if (site.final_unknown)
        final_bit = builder.CreateAnd(site.allocation->getArgOperand(2), builder.getInt32(final));
    Value* task = room.task;
    Value* shareds = shareds_or_null(builder, room);
    if (site.constructed)
        task = emit_mark(builder, memory_mark, builder.getPtrTy(),
                         {construct, room.task, shareds, final_bit});
    else
        store_word(builder, shareds, room.task, shareds_at);
    site.allocation->replaceAllUsesWith(task);
    Ends(site, construct, room, task, final_bit).mark_all();
    site.allocation->eraseFromParent();
}

} // namespace heddle::pass
