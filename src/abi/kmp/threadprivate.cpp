// SPDX-License-Identifier: Apache-2.0
// Threadprivate variables of programs compiled without thread-local storage.
// Called by generated code: the announcements before a variable's first use, the others for each
// use of it. Facts: LLVM's OpenMP runtime interface.
#include "construct/threadprivate.hpp"

#include "abi/kmp/ident.hpp"

using namespace heddle;
using abi::kmp::Gtid;
using abi::kmp::Ident;

/// How to make and destroy copies of `variable`. Generated code gives no copy constructor.
HEDDLE_EXPORT void __kmpc_threadprivate_register(Ident*, void* variable, void* (*construct)(void*),
                                                 void* (*copy)(void*, void*),
                                                 void (*destruct)(void*)) {
    construct::CopyFunctions functions;
    functions.make = construct;
    functions.make_from = copy;
    functions.destroy = destruct;
    construct::announce_threadprivate(variable, functions);
}

/// The same for an array of `elements`.
HEDDLE_EXPORT void __kmpc_threadprivate_register_vec(Ident*, void* variable,
                                                     void* (*construct)(void*, size_t),
                                                     void* (*copy)(void*, void*, size_t),
                                                     void (*destruct)(void*, size_t),
                                                     size_t elements) {
    construct::CopyFunctions functions;
    functions.make_array = construct;
    functions.make_array_from = copy;
    functions.destroy_array = destruct;
    functions.elements = elements;
    construct::announce_threadprivate(variable, functions);
}

/// The calling thread's copy of the `size` bytes at `variable`. The cache is a word of the program
/// for this variable, zeroed at first.
HEDDLE_EXPORT void* __kmpc_threadprivate_cached(Ident*, Gtid, void* variable, size_t size,
                                                construct::CopyCache* cache) {
    return construct::threadprivate_copy(team::self(), variable, size, *cache);
}

HEDDLE_EXPORT void* __kmpc_threadprivate(Ident*, Gtid, void* variable, size_t size) {
    return construct::find_threadprivate_copy(team::self(), variable, size, nullptr);
}
