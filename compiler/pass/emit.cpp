// SPDX-License-Identifier: Apache-2.0
// What emit.hpp promises. A function of the module's own is linkonce_odr and hidden, in a group of
// its own unless it belongs to another's.
#include "emit.hpp"

#include <llvm/IR/MDBuilder.h>

using namespace llvm;

namespace heddle::pass {

Function* own_function(Module& module, FunctionType* type, const char* name, Comdat* group) {
    Function* function = Function::Create(type, GlobalValue::LinkOnceODRLinkage, name, module);
    function->setVisibility(GlobalValue::HiddenVisibility);
    function->setComdat(group ? group : module.getOrInsertComdat(function->getName()));
    function->setDSOLocal(true);
    function->addFnAttr(Attribute::NoUnwind);
    function->addFnAttr(Attribute::NoInline);
    return function;
}

bool is_shared(const GlobalValue* value, const Type* type) {
    if (!value || value->getValueType() != type ||
        !(value->hasLinkOnceODRLinkage() || value->hasWeakODRLinkage()))
        return false;
    const auto* function = dyn_cast<Function>(value);
    return !function || function->getCallingConv() == CallingConv::C;
}

void mark_constant(CallBase& call) {
    call.setDoesNotAccessMemory();
    call.setDoesNotThrow();
    call.addFnAttr(Attribute::WillReturn);
}

bool is_zero(const Value* value) {
    const auto* constant = dyn_cast<ConstantInt>(value);
    return constant && constant->isZero();
}

Value* address_of(IRBuilder<>& builder, Value* base, size_t byte) {
    return byte == 0 ? base : builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, byte);
}

Value* load_word(IRBuilder<>& builder, Type* type, Value* base, size_t byte, const Twine& name) {
    return builder.CreateLoad(type, address_of(builder, base, byte), name);
}

void store_word(IRBuilder<>& builder, Value* value, Value* base, size_t byte) {
    builder.CreateStore(value, address_of(builder, base, byte));
}

Value* load_state(IRBuilder<>& builder, Type* type, Value* base, size_t byte, const Twine& name) {
    auto* load = cast<LoadInst>(load_word(builder, type, base, byte, name));
    load->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(builder.getContext(), {}));
    return load;
}

void store_state(IRBuilder<>& builder, Value* value, Value* base, size_t byte) {
    builder.CreateStore(value, address_of(builder, base, byte))
        ->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(builder.getContext(), {}));
}

AllocaInst* bytes_on_stack(Function& function, uint64_t size, uint64_t alignment,
                           const char* name) {
    BasicBlock& entry = function.getEntryBlock();
    IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
    AllocaInst* bytes =
        builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), size), nullptr, name);
    bytes->setAlignment(Align(alignment));
    return bytes;
}

MDNode* usually_true(LLVMContext& context) { return MDBuilder(context).createBranchWeights(31, 1); }

} // namespace heddle::pass
