// SPDX-License-Identifier: Apache-2.0
// The interop construct and its routines (OpenMP 5.2 sections 14.1 and 18.12), as gcc 15 calls
// them. The host has no foreign runtime to share, so every object is omp_interop_none, and the
// routines say so. Called by users' programs on any thread; nothing is kept.
#include "abi/export.hpp"
#include "abi/gomp/depend.hpp"

#include <cstdint>
#include <cstring>

namespace {

/// Property numbers go from -1, fr_id, down to this one, targetsync.
constexpr int last_property = -9;

/// omp_interop_rc_t.
enum ReturnCode : int { no_value = 1, empty = -1, out_of_range = -2, type_string = -5 };

constexpr const char* property_names[] = {"fr_id",       "fr_name",        "vendor",
                                          "vendor_name", "device_num",     "platform",
                                          "device",      "device_context", "targetsync"};

/// By code, from no_value downwards.
constexpr const char* code_texts[] = {"no meaningful value available",
                                      "successful",
                                      "the interoperability object is omp_interop_none",
                                      "the property number is out of range",
                                      "the property is an integer: use omp_get_interop_int",
                                      "the property is a pointer: use omp_get_interop_ptr",
                                      "the property is a string: use omp_get_interop_str"};

bool is_property(int property) { return property < 0 && property >= last_property; }

/// No object has properties: only whether the question was a good one differs.
void refuse(int property, int* code) {
    if (code)
        *code = is_property(property) ? empty : out_of_range;
}

/// A Fortran function's result of type character(:), pointer.
void return_text(const char* text, const char** result, size_t* length) {
    *result = text;
    *length = text ? strlen(text) : 0;
}

} // namespace

/// init and destroy clauses set their objects to omp_interop_none; `depend` is null without the
/// clause.
HEDDLE_EXPORT void GOMP_interop(int /*device*/, int init_count, void*** init,
                                const int* /*targetsync*/, const char** /*preferences*/,
                                int /*use_count*/, void** /*use*/, int destroy_count,
                                void*** destroy, unsigned /*flags*/, void** depend) {
    if (depend)
        heddle::schedule::wait_for_dependences(heddle::team::self(),
                                               heddle::abi::DependList(depend).get());
    for (int i = 0; i < init_count; ++i)
        *init[i] = nullptr;
    for (int i = 0; i < destroy_count; ++i)
        *destroy[i] = nullptr;
}

/// Beside the standard's properties there is none.
HEDDLE_EXPORT int omp_get_num_interop_properties(const void* /*object*/) { return 0; }

HEDDLE_EXPORT intptr_t omp_get_interop_int(const void* /*object*/, int property, int* code) {
    refuse(property, code);
    return 0;
}
HEDDLE_EXPORT void* omp_get_interop_ptr(const void* /*object*/, int property, int* code) {
    refuse(property, code);
    return nullptr;
}
HEDDLE_EXPORT const char* omp_get_interop_str(const void* /*object*/, int property, int* code) {
    refuse(property, code);
    return nullptr;
}

/// nullptr for a number that is no property's.
HEDDLE_EXPORT const char* omp_get_interop_name(const void* /*object*/, int property) {
    return is_property(property) ? property_names[-1 - property] : nullptr;
}

/// The type depends on the object's foreign runtime: omp_interop_none has none.
HEDDLE_EXPORT const char* omp_get_interop_type_desc(const void* /*object*/, int /*property*/) {
    return nullptr;
}

/// nullptr for a number that is no return code, and for omp_irc_other, which nothing returns.
HEDDLE_EXPORT const char* omp_get_interop_rc_desc(const void* /*object*/, int code) {
    return code <= no_value && code >= type_string ? code_texts[no_value - code] : nullptr;
}

// Fortran: arguments by value, as libgomp's module declares them.

HEDDLE_EXPORT void omp_get_interop_str_(const char** result, size_t* length, const void* object,
                                        int property, int* code) {
    return_text(omp_get_interop_str(object, property, code), result, length);
}
HEDDLE_EXPORT void omp_get_interop_name_(const char** result, size_t* length, const void* object,
                                         int property) {
    return_text(omp_get_interop_name(object, property), result, length);
}
HEDDLE_EXPORT void omp_get_interop_type_desc_(const char** result, size_t* length,
                                              const void* object, int property) {
    return_text(omp_get_interop_type_desc(object, property), result, length);
}
HEDDLE_EXPORT void omp_get_interop_rc_desc_(const char** result, size_t* length, const void* object,
                                            int code) {
    return_text(omp_get_interop_rc_desc(object, code), result, length);
}
