// SPDX-License-Identifier: Apache-2.0
// Registration of offload images, and the error directive.
// Called by constructors of objects built for offloading, which run on the host here.
#include "abi/export.hpp"
#include "tool/ompt.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

// There is no device, so there is nothing to register with.
HEDDLE_EXPORT void GOMP_offload_register(const void*, int, const void*) {}
HEDDLE_EXPORT void GOMP_offload_unregister(const void*, int, const void*) {}
HEDDLE_EXPORT void GOMP_offload_register_ver(unsigned, const void*, int, const void*) {}
HEDDLE_EXPORT void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}

namespace {

/// `length` is that of `message`, which need not end with NUL; (size_t)-1: it does.
void print_directive(const char* what, const char* message, size_t length) {
    if (!message)
        fprintf(stderr, "heddle: %s\n", what);
    else if (length == static_cast<size_t>(-1))
        fprintf(stderr, "heddle: %s: %s\n", what, message);
    else
        fprintf(stderr, "heddle: %s: %.*s\n", what, static_cast<int>(length), message);
}

void tell(ompt_severity_t severity, const char* message, size_t length, const void* code) {
    if (message && length == static_cast<size_t>(-1))
        length = strlen(message);
    if (heddle::tool::has_tool())
        heddle::tool::tell<ompt_callback_error>(severity, message, message ? length : 0, code);
}

} // namespace

HEDDLE_EXPORT void GOMP_warning(const char* message, size_t length) {
    tell(ompt_warning, message, length, __builtin_return_address(0));
    print_directive("error directive encountered", message, length);
}

HEDDLE_EXPORT [[noreturn]] void GOMP_error(const char* message, size_t length) {
    tell(ompt_fatal, message, length, __builtin_return_address(0));
    print_directive("fatal error: error directive encountered", message, length);
    exit(EXIT_FAILURE); // OpenMP 5.2 section 8.5: severity fatal ends the program
}
