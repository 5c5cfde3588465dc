// SPDX-License-Identifier: Apache-2.0
// Translating depend arrays. Runs on the encountering thread.
// A depend object (omp_depend_t) is gcc's {address, kind}; kinds are numbered as below.
#include "abi/gomp/depend.hpp"

namespace heddle::abi {

namespace {

enum Kind : uintptr_t { in = 1, out = 2, inout = 3, mutexinoutset = 4, inoutset = 5 };

struct DependObject {
    const void* address;
    uintptr_t kind;
};

uintptr_t number(const void* word) { return reinterpret_cast<uintptr_t>(word); }

/// In a program of clang's that is linked with Heddle, and not with libomp, routines are gcc's:
/// their dependences must not be lost in silence.
void require_own(const DependObject& object) {
    if (object.kind < in || object.kind > inoutset)
        platform::die("an omp_depend_t that is not initialized, or not made by gcc's code; link "
                      "clang's programs that pass some to routines with libomp");
}

} // namespace

void DependList::add_of_kind(const void* address, uintptr_t kind) {
    using schedule::DependenceKind;
    if (!address && kind != out && kind != inout)
        return; // no storage; only for these does the null pointer mean omp_all_memory
    if (kind == in)
        add(address, DependenceKind::in, ompt_dependence_type_in);
    else if (kind == inoutset)
        add(address, DependenceKind::inoutset, ompt_dependence_type_inoutset);
    else
        add(address, DependenceKind::out,
            !address                ? ompt_dependence_type_inout_all_memory
            : kind == mutexinoutset ? ompt_dependence_type_mutexinoutset
                                    : ompt_dependence_type_inout); // gcc passes out as inout too
}

DependList::DependList(void** depend) {
    const bool old = number(depend[0]) != 0;
    const size_t total = number(depend[old ? 0 : 1]);
    reserve(total);
    if (old) {
        const size_t outs = number(depend[1]);
        for (size_t i = 0; i < total; ++i)
            add_of_kind(depend[2 + i], i < outs ? out : in);
        return;
    }
    const size_t outs = number(depend[2]), exclusive = outs + number(depend[3]),
                 objects = exclusive + number(depend[4]);
    for (size_t i = 0; i < total; ++i) {
        void* const item = depend[5 + i];
        if (i < objects) {
            add_of_kind(item, i < outs ? out : i < exclusive ? mutexinoutset : in);
        } else {
            const auto& object = *static_cast<const DependObject*>(item);
            require_own(object);
            add_of_kind(object.address, object.kind);
        }
    }
}

} // namespace heddle::abi
