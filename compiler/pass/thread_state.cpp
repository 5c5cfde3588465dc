// SPDX-License-Identifier: Apache-2.0
// Emits the access to Heddle's thread state. All that it adds to a module is linkonce_odr and
// hidden: each program and each shared library has one distance and one constructor, and calls the
// library for it once. Weak references: the program starts without Heddle too.
#include "thread_state.hpp"

#include "emit.hpp"

#include "heddle.h"

#include <cstddef>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

using namespace llvm;

namespace heddle::pass {

namespace {

constexpr const char* offset_name = "heddle.thread_offset";
constexpr const char* nobody_name = "heddle.nobody";

/// On x86 this address space is relative to the thread pointer.
constexpr unsigned fs_relative = 257;

/// Before constructors of the user's, which have no number.
constexpr int constructor_priority = 101;

bool is_x86(const Module& module) { return Triple(module.getTargetTriple()).isX86(); }

Function* weak_function(Module& module, FunctionType* type, const char* name) {
    auto* function = cast<Function>(module.getOrInsertFunction(name, type).getCallee());
    if (function->isDeclaration() && !function->hasExternalWeakLinkage())
        function->setLinkage(GlobalValue::ExternalWeakLinkage);
    function->addFnAttr(Attribute::NoUnwind);
    return function;
}

/// if (heddle_thread_offset_1) heddle.thread_offset = heddle_thread_offset_1();
void add_constructor(Module& module, GlobalVariable& offset) {
    LLVMContext& context = module.getContext();
    Type* word = offset.getValueType();
    Function* ask = weak_function(module, FunctionType::get(word, false), "heddle_thread_offset_1");
    Function* constructor = own_function(module, FunctionType::get(Type::getVoidTy(context), false),
                                         "heddle.find_threads", offset.getComdat());
    constructor->addFnAttr(Attribute::OptimizeNone); // it runs once: LLVM may be quick about it
    BasicBlock* entry = BasicBlock::Create(context, "", constructor);
    BasicBlock* there = BasicBlock::Create(context, "there", constructor);
    BasicBlock* done = BasicBlock::Create(context, "done", constructor);
    IRBuilder<> builder(entry);
    builder.CreateCondBr(builder.CreateIsNotNull(ask), there, done);
    builder.SetInsertPoint(there);
    builder.CreateStore(builder.CreateCall(ask), &offset);
    builder.CreateBr(done);
    builder.SetInsertPoint(done);
    builder.CreateRetVoid();
    appendToGlobalCtors(module, constructor, constructor_priority, &offset);
}

/// The last place that is passed on the way to each of `constructs`, and by no loop.
Instruction* common_place(DominatorTree& dominators, ArrayRef<Instruction*> constructs) {
    BasicBlock* common = constructs.front()->getParent();
    for (Instruction* construct : constructs)
        common = dominators.findNearestCommonDominator(common, construct->getParent());
    LoopInfo loops(dominators);
    while (const Loop* loop = loops.getLoopFor(common))
        common = dominators.getNode(loop->getHeader())->getIDom()->getBlock();
    for (Instruction& instruction : *common)
        if (is_contained(constructs, &instruction))
            return &instruction;
    return common->getTerminator();
}

} // namespace

bool ThreadState::is_known_for(const Module& module) {
    const Triple triple(module.getTargetTriple());
    return triple.isOSLinux() && triple.isArch64Bit() && (triple.isX86() || triple.isAArch64());
}

GlobalVariable* ThreadState::offset() {
    if (offset_)
        return offset_;
    Type* word = Type::getInt64Ty(module_.getContext());
    offset_ = module_.getNamedGlobal(offset_name);
    if (is_shared(offset_, word))
        return offset_;
    offset_ = new GlobalVariable(module_, word, false, GlobalValue::LinkOnceODRLinkage,
                                 ConstantInt::get(word, 0), offset_name);
    offset_->setVisibility(GlobalValue::HiddenVisibility);
    offset_->setDSOLocal(true);
    offset_->setComdat(module_.getOrInsertComdat(offset_->getName()));
    add_constructor(module_, *offset_);
    return offset_;
}

/// Who has no thread's state: defers every task, and is a task with a child, so that no taskwait is
/// left out. It is its own current task, and stands for the child.
GlobalVariable* ThreadState::nobody() {
    if (nobody_)
        return nobody_;
    static_assert(offsetof(heddle_thread, current) == 0 && offsetof(heddle_frame, children) == 8 &&
                  offsetof(heddle_thread, deferring) == 16);
    LLVMContext& context = module_.getContext();
    Type* pointer = PointerType::get(context, 0);
    Type* word = Type::getInt64Ty(context);
    constexpr size_t words = (sizeof(heddle_thread) - 16) / 8;
    auto* type = StructType::get(pointer, pointer, ArrayType::get(word, words));
    nobody_ = module_.getNamedGlobal(nobody_name);
    if (is_shared(nobody_, type))
        return nobody_;
    nobody_ = new GlobalVariable(module_, type, true, GlobalValue::LinkOnceODRLinkage, nullptr,
                                 nobody_name);
    uint64_t contents[words] = {1};
    nobody_->setInitializer(
        ConstantStruct::get(type, nobody_, nobody_, ConstantDataArray::get(context, contents)));
    nobody_->setVisibility(GlobalValue::HiddenVisibility);
    nobody_->setDSOLocal(true);
    nobody_->setComdat(module_.getOrInsertComdat(nobody_->getName()));
    return nobody_;
}

/// What is found stays good to the end of the call: a region that begins meanwhile ends meanwhile,
/// and the thread is a member of its own team again. Without a branch, for a word can be read at
/// any distance: at 0 there is one of the C library's.
void ThreadState::find(DominatorTree& dominators, ArrayRef<Instruction*> constructs, Value* stack) {
    LLVMContext& context = module_.getContext();
    IRBuilder<> builder(common_place(dominators, constructs));
    Type* pointer = builder.getPtrTy();
    Value* distance = load_state(builder, builder.getInt64Ty(), offset(), 0, "heddle.offset");
    Value* place;
    if (is_x86(module_)) {
        place = builder.CreateIntToPtr(distance, PointerType::get(context, fs_relative));
    } else {
        // Not llvm.thread.pointer: that is kept over calls, and a part of a region may come back
        // from one in another thread.
        InlineAsm* here =
            InlineAsm::get(FunctionType::get(pointer, false), "mrs $0, tpidr_el0", "=r",
                           /*hasSideEffects=*/true);
        place = builder.CreatePtrAdd(builder.CreateCall(here), distance);
    }
    Value* state = load_state(builder, pointer, place, 0, "heddle.state");
    Value* missing = builder.CreateOr(builder.CreateIsNull(distance), builder.CreateIsNull(state));
    Value* thread = builder.CreateSelect(missing, nobody(), state, "heddle.thread");
    if (stack) {
        Value* limit = load_state(builder, pointer, thread, offsetof(heddle_thread, stack_limit));
        thread = builder.CreateSelect(builder.CreateICmpUGT(stack, limit), thread, nobody(),
                                      "heddle.thread");
    }
    thread_ = cast<Instruction>(thread);
}

Value* ThreadState::current(IRBuilder<>& builder) {
    return load_state(builder, builder.getPtrTy(), thread_, offsetof(heddle_thread, current),
                      "heddle.current");
}

Value* ThreadState::number(IRBuilder<>& builder) {
    Type* type = builder.getInt32Ty();
    Type* pointer = builder.getPtrTy();
    if (!number_) {
        const char* name = "heddle.thread_number";
        auto* own_type = FunctionType::get(type, false);
        number_ = module_.getFunction(name);
        if (!is_shared(number_, own_type)) {
            number_ = own_function(module_, own_type, name);
            FunctionCallee ask =
                module_.getOrInsertFunction("__kmpc_global_thread_num", type, pointer);
            IRBuilder<> body(BasicBlock::Create(module_.getContext(), "", number_));
            CallInst* answer = body.CreateCall(ask, ConstantPointerNull::get(body.getPtrTy()));
            answer->setDoesNotThrow();
            body.CreateRet(answer);
        }
    }
    CallInst* call = builder.CreateCall(number_, {}, "heddle.number");
    mark_constant(*call);
    return call;
}

FunctionCallee ThreadState::leave_children() {
    LLVMContext& context = module_.getContext();
    Type* pointer = PointerType::get(context, 0);
    return weak_function(module_,
                         FunctionType::get(Type::getVoidTy(context), {pointer, pointer}, false),
                         "heddle_leave_children");
}

} // namespace heddle::pass
