// SPDX-License-Identifier: Apache-2.0
// Emits calls of __kmpc_omp_task_alloc, __kmpc_omp_task and __kmpc_omp_taskwait, in functions that
// ask for the thread's number themselves: it is only needed there. All of them are cold, and
// linkonce_odr: a program has each once, and a module only those that it uses.
// Facts: LLVM's OpenMP runtime interface.
#include "ordinary.hpp"

#include "emit.hpp"

using namespace llvm;

namespace heddle::pass {

namespace {

// The constant's words.
constexpr unsigned place_word = 0, entry_word = 1, size_word = 2, shareds_word = 3, flags_word = 4;

Value* word_of(IRBuilder<>& builder, Value* construct, unsigned word) {
    Type* type = word <= entry_word ? builder.getPtrTy() : static_cast<Type*>(builder.getInt64Ty());
    return load_word(builder, type, construct, word * 8);
}

Value* call_runtime(IRBuilder<>& builder, const char* name, Type* result,
                    ArrayRef<Value*> arguments) {
    SmallVector<Type*, 6> types;
    for (Value* argument : arguments)
        types.push_back(argument->getType());
    Module& module = *builder.GetInsertBlock()->getModule();
    CallInst* call = builder.CreateCall(
        module.getOrInsertFunction(name, FunctionType::get(result, types, false)), arguments);
    call->setDoesNotThrow();
    return call;
}

Value* thread_number(IRBuilder<>& builder, Value* place) {
    return call_runtime(builder, "__kmpc_global_thread_num", builder.getInt32Ty(), place);
}

Value* emit_allocation(IRBuilder<>& builder, Value* construct, Value* number, Value* is_final) {
    Value* flags =
        builder.CreateTrunc(word_of(builder, construct, flags_word), is_final->getType());
    return call_runtime(builder, "__kmpc_omp_task_alloc", builder.getPtrTy(),
                        {word_of(builder, construct, place_word), number,
                         builder.CreateOr(flags, is_final), word_of(builder, construct, size_word),
                         word_of(builder, construct, shareds_word),
                         word_of(builder, construct, entry_word)});
}

/// Goes on in another block than it began in.
void emit_submission(IRBuilder<>& builder, Value* place, Value* number, Value* task,
                     Value* undeferred) {
    if (is_zero(undeferred)) {
        call_runtime(builder, "__kmpc_omp_task", builder.getInt32Ty(), {place, number, task});
        return;
    }
    Function* function = builder.GetInsertBlock()->getParent();
    LLVMContext& context = builder.getContext();
    BasicBlock* before = builder.GetInsertBlock();
    BasicBlock* after = before->splitBasicBlock(builder.GetInsertPoint());
    BasicBlock* deferred = BasicBlock::Create(context, "deferred", function, after);
    BasicBlock* at_once = BasicBlock::Create(context, "undeferred", function, after);
    before->getTerminator()->eraseFromParent();
    builder.SetInsertPoint(before);
    builder.CreateCondBr(builder.CreateIsNull(undeferred), deferred, at_once);
    builder.SetInsertPoint(deferred);
    call_runtime(builder, "__kmpc_omp_task", builder.getInt32Ty(), {place, number, task});
    builder.CreateBr(after);
    builder.SetInsertPoint(at_once);
    Type* nothing = builder.getVoidTy();
    call_runtime(builder, "__kmpc_omp_task_begin_if0", nothing, {place, number, task});
    builder
        .CreateCall(
            FunctionType::get(number->getType(), {number->getType(), task->getType()}, false),
            load_word(builder, task->getType(), task, entry_at), {number, task})
        ->setDoesNotThrow();
    call_runtime(builder, "__kmpc_omp_task_complete_if0", nothing, {place, number, task});
    builder.CreateBr(after);
    builder.SetInsertPoint(after, after->begin());
}

} // namespace

OrdinaryForm::OrdinaryForm(Module& module)
    : module_(module), nothing_(Type::getVoidTy(module.getContext())),
      pointer_(PointerType::get(module.getContext(), 0)),
      number_(Type::getInt32Ty(module.getContext())), word_(Type::getInt64Ty(module.getContext())) {
}

Constant* OrdinaryForm::describe(const Site& site) {
    auto* type = StructType::get(pointer_, pointer_, word_, word_, word_);
    auto* place = cast<Constant>(site.allocation->getArgOperand(0));
    auto* contents = ConstantStruct::get(
        type, place, site.entry, ConstantInt::get(word_, site.size),
        ConstantInt::get(word_, site.shareds), ConstantInt::get(word_, site.flags));
    auto* constant = new GlobalVariable(module_, type, true, GlobalValue::PrivateLinkage, contents,
                                        "heddle.construct");
    constant->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return constant;
}

Description OrdinaryForm::read(const Value* construct) {
    const auto* constant = dyn_cast<GlobalVariable>(construct);
    if (!constant || !constant->hasInitializer())
        report_fatal_error("heddle-tasks: which construct a mark stands for is lost");
    const auto* contents = cast<ConstantStruct>(constant->getInitializer());
    const auto word = [&](unsigned number) {
        return cast<ConstantInt>(contents->getOperand(number))->getZExtValue();
    };
    return {contents->getOperand(place_word), contents->getOperand(entry_word), word(size_word),
            word(shareds_word), word(flags_word)};
}

Function* OrdinaryForm::own(const char* name, Type* result, ArrayRef<Type*> arguments, bool& made) {
    Function*& function = own_[name];
    made = false;
    if (function)
        return function;
    auto* type = FunctionType::get(result, arguments, false);
    function = module_.getFunction(name);
    if (is_shared(function, type))
        return function;
    made = true;
    function = own_function(module_, type, name);
    function->addFnAttr(Attribute::Cold);
    BasicBlock* block = BasicBlock::Create(module_.getContext(), "", function);
    IRBuilder<> builder(block);
    if (result == nothing_)
        builder.CreateRetVoid();
    return function;
}

CallInst* OrdinaryForm::allocate(IRBuilder<>& builder, Value* construct, Value* is_final) {
    bool made;
    Function* function = own("heddle.allocate", pointer_, {pointer_, number_}, made);
    if (made) {
        IRBuilder<> body(&function->getEntryBlock());
        Value* own_construct = function->getArg(0);
        Value* number = thread_number(body, word_of(body, own_construct, place_word));
        body.CreateRet(emit_allocation(body, own_construct, number, function->getArg(1)));
    }
    return builder.CreateCall(function, {construct, is_final});
}

void OrdinaryForm::submit(IRBuilder<>& builder, Value* place, Value* task, Value* undeferred) {
    SmallVector<Value*, 3> arguments{place, task};
    SmallVector<Type*, 3> types{pointer_, pointer_};
    const bool never = is_zero(undeferred);
    if (!never) {
        arguments.push_back(undeferred);
        types.push_back(number_);
    }
    bool made;
    Function* function = own(never ? "heddle.submit" : "heddle.submit_if", nothing_, types, made);
    if (made) {
        IRBuilder<> body(function->getEntryBlock().getTerminator());
        Value* own_place = function->getArg(0);
        emit_submission(body, own_place, thread_number(body, own_place), function->getArg(1),
                        never ? undeferred : function->getArg(2));
    }
    builder.CreateCall(function, arguments);
}

void OrdinaryForm::wait(IRBuilder<>& builder, Value* place) {
    bool made;
    Function* function = own("heddle.wait", nothing_, {pointer_}, made);
    if (made) {
        IRBuilder<> body(function->getEntryBlock().getTerminator());
        Value* number = thread_number(body, function->getArg(0));
        call_runtime(body, "__kmpc_omp_taskwait", number_, {function->getArg(0), number});
    }
    builder.CreateCall(function, place);
}

} // namespace heddle::pass
