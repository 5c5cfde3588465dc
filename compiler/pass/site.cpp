// SPDX-License-Identifier: Apache-2.0
// What clang 19 makes of a task construct: the allocation; stores into the task's memory and calls
// of copy constructors, with loops for arrays and edges to landing pads; then __kmpc_omp_task, or
// for a false if clause begin_if0, the entry's call, complete_if0. The pass runs on this code
// before anything else does. Whatever looks different is left alone.
#include "site.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace heddle::pass {

namespace {

/// Larger constructs gain nothing from being inlined.
constexpr size_t most_instructions = 2000;

/// With more captured data a task's memory is no matter for the stack.
constexpr uint64_t most_bytes = 1024;

constexpr unsigned flags_argument = 2, size_argument = 3, shareds_argument = 4, entry_argument = 5;
constexpr unsigned task_argument = 2;

bool takes(const CallInst& call, unsigned argument, const Value* task) {
    return call.arg_size() > argument && call.getArgOperand(argument) == task;
}

enum class Use { none, begin, end, entry, other };

/// What a call has to do with the task.
Use use_of(const Instruction& instruction, const CallInst& allocation, const Function* entry) {
    const auto* call = dyn_cast<CallInst>(&instruction);
    if (!call)
        return Use::none;
    if (call->getCalledFunction() == entry)
        return takes(*call, 1, &allocation) ? Use::entry : Use::other;
    const StringRef name = callee_name(*call);
    if (!name.starts_with("__kmpc_") && !name.starts_with("__tgt_"))
        return Use::none;
    const bool takes_it = takes(*call, task_argument, &allocation);
    return StringSwitch<Use>(name)
        .Case("__kmpc_omp_task", takes_it ? Use::end : Use::other)
        .Case("__kmpc_omp_task_complete_if0", takes_it ? Use::end : Use::other)
        .Case("__kmpc_omp_task_begin_if0", takes_it ? Use::begin : Use::other)
        .Case("__kmpc_global_thread_num", Use::none)
        .Default(Use::other); // dependences, an event, an affinity clause: the ordinary way
}

/// The one function that the entry calls, which holds the task's code.
Function* body_of(const Function& entry) {
    Function* body = nullptr;
    for (const BasicBlock& block : entry)
        for (const Instruction& instruction : block)
            if (const auto* call = dyn_cast<CallBase>(&instruction);
                call && !isa<IntrinsicInst>(call)) {
                Function* callee = call->getCalledFunction();
                if (body || !callee || callee->isDeclaration())
                    return nullptr;
                body = callee;
            }
    return body;
}

/// Is `value` the function's argument `number`, by way of the variable that it was stored to?
bool is_argument(const Value* value, const Function& function, unsigned number) {
    const auto* load = dyn_cast<LoadInst>(value);
    const auto* variable = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
    if (!variable || number >= function.arg_size())
        return false;
    return any_of(variable->users(), [&](const User* user) {
        const auto* store = dyn_cast<StoreInst>(user);
        return store && store->getPointerOperand() == variable &&
               store->getValueOperand() == function.getArg(number);
    });
}

/// An untied task's code is cut into parts. The first does nothing but submit the second; true if
/// that is the last one.
bool has_one_part(const Function& entry) {
    constexpr unsigned part_argument = 1;
    const Function* body = body_of(entry);
    if (!body)
        return false;
    for (const BasicBlock& block : *body) {
        const auto* parts = dyn_cast<SwitchInst>(block.getTerminator());
        const auto* part = parts ? dyn_cast<LoadInst>(parts->getCondition()) : nullptr;
        if (part && is_argument(part->getPointerOperand(), *body, part_argument))
            return parts->getNumCases() == 2;
    }
    return false;
}

uint64_t alignment_of(const Instruction& instruction) {
    if (const auto* load = dyn_cast<LoadInst>(&instruction))
        return load->getAlign().value();
    if (const auto* store = dyn_cast<StoreInst>(&instruction))
        return store->getAlign().value();
    if (const auto* copy = dyn_cast<MemIntrinsic>(&instruction))
        return copy->getDestAlign().valueOrOne().value();
    uint64_t most = 1;
    if (const auto* call = dyn_cast<CallBase>(&instruction))
        for (unsigned i = 0; i < call->arg_size(); ++i)
            most = std::max(most, call->getParamAlign(i).valueOrOne().value());
    return most;
}

uint64_t alignment_of(const Function& function) {
    uint64_t most = 1;
    for (const BasicBlock& block : function)
        for (const Instruction& instruction : block)
            most = std::max(most, alignment_of(instruction));
    return most;
}

/// Is the task's address used for nothing but reaching into it, and for what is known?
bool stays_within(const Site& site, const SmallPtrSetImpl<Instruction*>& inside) {
    for (User* user : site.allocation->users()) {
        auto* instruction = dyn_cast<Instruction>(user);
        if (!instruction || !inside.contains(instruction))
            return false;
        if (const auto* store = dyn_cast<StoreInst>(instruction)) {
            if (store->getValueOperand() == site.allocation)
                return false;
        } else if (isa<CallInst>(instruction) && !isa<MemIntrinsic>(instruction)) {
            const Use use = use_of(*instruction, *site.allocation, site.entry);
            if (use == Use::none || use == Use::other)
                return false;
        } else if (!isa<LoadInst, GetElementPtrInst, MemIntrinsic>(instruction)) {
            return false;
        }
    }
    return true;
}

/// Fills in what the call says.
bool read_arguments(Site& site) {
    const CallInst& call = *site.allocation;
    const auto* size = dyn_cast<ConstantInt>(call.getArgOperand(size_argument));
    const auto* shareds = dyn_cast<ConstantInt>(call.getArgOperand(shareds_argument));
    site.entry = dyn_cast<Function>(call.getArgOperand(entry_argument));
    if (!size || !shareds || !site.entry || site.entry->isDeclaration() ||
        site.entry->arg_size() != 2)
        return false;
    site.size = size->getZExtValue();
    site.shareds = shareds->getZExtValue();
    if (site.size < privates_at || site.size % 8 != 0 || site.size + site.shareds > most_bytes ||
        !isa<Constant>(call.getArgOperand(0)))
        return false;

    const Value* flags = call.getArgOperand(flags_argument);
    uint64_t known = 0;
    if (const auto* constant = dyn_cast<ConstantInt>(flags)) {
        known = constant->getZExtValue();
        site.final_unknown = false;
    } else {
        // final(expression): the bit or nothing, and the bits that are certain.
        const auto* either = dyn_cast<BinaryOperator>(flags);
        if (!either || either->getOpcode() != Instruction::Or)
            return false;
        const auto* others = dyn_cast<ConstantInt>(either->getOperand(1));
        const auto* select = dyn_cast<SelectInst>(either->getOperand(0));
        const auto* chosen = select ? dyn_cast<ConstantInt>(select->getTrueValue()) : nullptr;
        const auto* instead = select ? dyn_cast<ConstantInt>(select->getFalseValue()) : nullptr;
        if (!others || !chosen || !instead || chosen->getZExtValue() != final || !instead->isZero())
            return false;
        known = others->getZExtValue();
        site.final_unknown = true;
    }
    site.flags = known;
    return (known & ~(tied | destructors)) == 0 &&
           ((known & tied) != 0 || has_one_part(*site.entry));
}

/// Is an address within the task kept, or given away?
bool address_leaves(const Value& address) {
    return any_of(address.users(), [&](const User* user) {
        if (const auto* store = dyn_cast<StoreInst>(user))
            return store->getValueOperand() == &address;
        return isa<GetElementPtrInst>(user) ? address_leaves(*user)
                                            : !isa<LoadInst, MemIntrinsic>(user);
    });
}

/// Must the private variables stay where they were made? So it is for objects with constructors.
bool is_constructed(const Site& site) {
    if ((site.flags & destructors) != 0)
        return true;
    return any_of(site.allocation->users(), [](const User* user) {
        return isa<GetElementPtrInst>(user) && address_leaves(*user);
    });
}

/// Instructions from the allocation to the ends, in all blocks. Nothing if not every way out passes
/// an end, or something else leads in.
std::optional<SmallVector<Instruction*, 64>> instructions_of(const Site& site) {
    SmallVector<Instruction*, 64> found;
    SmallVector<BasicBlock*, 8> blocks{site.allocation->getParent()};
    SmallPtrSet<BasicBlock*, 8> seen(blocks.begin(), blocks.end()), whole;
    for (size_t next = 0; next < blocks.size(); ++next) {
        auto i = next == 0 ? site.allocation->getIterator() : blocks[next]->begin();
        bool ended = false;
        for (; i != blocks[next]->end() && !ended; ++i) {
            found.push_back(&*i);
            ended = is_contained(site.ends, &*i);
        }
        if (found.size() > most_instructions)
            return std::nullopt;
        if (ended)
            continue;
        whole.insert(blocks[next]);
        Instruction* last = blocks[next]->getTerminator();
        if (!isa<BranchInst, SwitchInst, InvokeInst, UnreachableInst>(last))
            return std::nullopt;
        for (BasicBlock* successor : successors(last)) {
            if (successor->isEHPad())
                continue; // an exception of a copy constructor ends the construct
            if (successor == blocks[0])
                return std::nullopt;
            if (seen.insert(successor).second)
                blocks.push_back(successor);
        }
    }
    for (BasicBlock* block : drop_begin(blocks))
        for (BasicBlock* predecessor : predecessors(block))
            if (!whole.contains(predecessor))
                return std::nullopt;
    return found;
}

} // namespace

StringRef callee_name(const Instruction& instruction) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    return callee ? callee->getName() : "";
}

std::optional<Site> recognise(CallInst& allocation) {
    Site site{};
    site.allocation = &allocation;
    if (allocation.arg_size() != 6 || !read_arguments(site))
        return std::nullopt;
    for (User* user : allocation.users()) {
        auto* call = dyn_cast<CallInst>(user);
        if (!call)
            continue;
        const Use use = use_of(*call, allocation, site.entry);
        if (use == Use::end)
            site.ends.push_back(call);
        else if (use == Use::begin)
            site.begins.push_back(call);
    }
    const auto instructions = instructions_of(site);
    if (site.ends.empty() || !instructions ||
        !all_of(site.ends, [](CallInst* end) { return end->use_empty(); }))
        return std::nullopt;
    const SmallPtrSet<Instruction*, 32> inside(instructions->begin(), instructions->end());
    site.alignment = 16;
    for (const Instruction* instruction : *instructions) {
        if (isa<AllocaInst>(instruction) ||
            (instruction != &allocation &&
             use_of(*instruction, allocation, site.entry) == Use::other))
            return std::nullopt;
        site.alignment = std::max(site.alignment, alignment_of(*instruction));
    }
    if (!stays_within(site, inside) ||
        !all_of(site.begins, [&](CallInst* begin) { return inside.contains(begin); }) ||
        !all_of(site.ends, [&](CallInst* end) { return inside.contains(end); }))
        return std::nullopt;
    site.constructed = is_constructed(site);
    site.alignment = std::max(site.alignment, alignment_of(*site.entry));
    if (const Function* body = body_of(*site.entry))
        site.alignment = std::max(site.alignment, alignment_of(*body));
    return site;
}

} // namespace heddle::pass
