// SPDX-License-Identifier: Apache-2.0
// Do loaded programs keep data with their threads, as threadprivate variables are? Told by the ELF
// headers of the objects that call an OpenMP runtime, and of those that they are linked with: gcc,
// and clang by default, put such variables into thread-local storage; with -fno-openmp-use-tls and
// in flang they are made by calls. Called where host threads share the pool (team/pool.cpp), by any
// thread.
#include "platform/contract.hpp"

#include <cstring>

#include <link.h>

namespace heddle::platform {

namespace {

/// The loader's count of objects that it has loaded, four times, and the bits below. Relaxed: who
/// misses a newer answer finds it again.
Atomic<uint64_t> known{0};
constexpr uint64_t keeps_data = 1, ties_calls = 2;

struct Search {
    uint64_t loaded = 0;
    bool found = false; ///< an object that keeps data
    bool ties = false;  ///< one that ties calls
};

/// What of an object's dynamic section is needed.
struct Imports {
    const ElfW(Sym) * symbols = nullptr;
    const char* names = nullptr;
    const ElfW(Rela) * relocations[2] = {}; ///< of data and of calls
    size_t bytes[2] = {};
    size_t relative = 0; ///< leading ones of data that name no symbol
    const ElfW(Dyn) * dynamic = nullptr;
};

bool begins_with(const char* text, const char* start) {
    return strncmp(text, start, strlen(start)) == 0;
}

Imports imports_of(const dl_phdr_info& object, const ElfW(Phdr) & dynamic) {
    Imports imports;
    // Some loaders leave addresses in the file as they are.
    const auto address = [&object](const ElfW(Dyn) & entry) {
        const ElfW(Addr) value = entry.d_un.d_ptr;
        return value < object.dlpi_addr ? value + object.dlpi_addr : value;
    };
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + dynamic.p_vaddr);
    imports.dynamic = entry;
    for (; entry->d_tag != DT_NULL; ++entry) {
        switch (entry->d_tag) {
        case DT_SYMTAB:
            imports.symbols = reinterpret_cast<const ElfW(Sym)*>(address(*entry));
            break;
        case DT_STRTAB:
            imports.names = reinterpret_cast<const char*>(address(*entry));
            break;
        case DT_RELA:
            imports.relocations[0] = reinterpret_cast<const ElfW(Rela)*>(address(*entry));
            break;
        case DT_RELASZ:
            imports.bytes[0] = entry->d_un.d_val;
            break;
        case DT_RELACOUNT:
            imports.relative = entry->d_un.d_val;
            break;
        case DT_JMPREL:
            imports.relocations[1] = reinterpret_cast<const ElfW(Rela)*>(address(*entry));
            break;
        case DT_PLTRELSZ:
            imports.bytes[1] = entry->d_un.d_val;
            break;
        default:
            break;
        }
    }
    return imports;
}

/// Calls visit(symbol, name) for the symbols that the object takes from others, until it says true.
template <class Visit>
bool any_import(const Imports& imports, Visit&& visit) {
    if (!imports.symbols || !imports.names)
        return false;
    for (int table = 0; table < 2; ++table) {
        const size_t count =
            imports.relocations[table] ? imports.bytes[table] / sizeof(ElfW(Rela)) : 0;
        for (size_t i = table == 0 ? imports.relative : 0; i < count; ++i) {
            const auto number =
                imports.relocations[table][i].r_info >> (sizeof(void*) == 8 ? 32 : 8);
            const ElfW(Sym)& symbol = imports.symbols[number];
            if (number != 0 && symbol.st_shndx == SHN_UNDEF &&
                visit(symbol, imports.names + symbol.st_name))
                return true;
        }
    }
    return false;
}

bool has_thread_local_storage(const dl_phdr_info& object) {
    for (int i = 0; i < object.dlpi_phnum; ++i)
        if (object.dlpi_phdr[i].p_type == PT_TLS && object.dlpi_phdr[i].p_memsz != 0)
            return true;
    return false;
}

/// Libraries that come with compilers, whose thread-local storage is no program's. gcc 14's
/// libgcc_s has some for nested functions, if they are made by the calls named below.
constexpr const char* languages[] = {"libc",        "libstdc++",   "libc++",    "libc++abi",
                                     "libgfortran", "libquadmath", "libgcc_s",  "libgomp",
                                     "libomp",      "libiomp5",    "libheddle", "ld",
                                     "libasan",     "liblsan",     "libtsan",   "libubsan"};

/// Is a file of that name one of them? In wheels they are called libgomp-e985bcbb.so.1.0.0.
bool belongs_to_language(const char* file) {
    for (const char* language : languages) {
        const char after = begins_with(file, language) ? file[strlen(language)] : 0;
        if (after == '.' || after == '-')
            return true;
    }
    return false;
}

/// For dl_iterate_phdr: whether the object is one that `raw`, Imports of another one, says that it
/// needs, and has thread-local storage. Objects are named by where the loader found what it needed.
int is_needed_with_thread_data(dl_phdr_info* object, size_t, void* raw) {
    const auto& imports = *static_cast<const Imports*>(raw);
    if (!has_thread_local_storage(*object))
        return 0;
    const char* slash = strrchr(object->dlpi_name, '/');
    const char* file = slash ? slash + 1 : object->dlpi_name;
    if (belongs_to_language(file))
        return 0;
    for (const auto* entry = imports.dynamic; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag != DT_NEEDED)
            continue;
        const char* needed = imports.names + entry->d_un.d_val;
        const char* end = strrchr(needed, '/');
        if (strcmp(end ? end + 1 : needed, file) == 0)
            return 1;
    }
    return 0;
}

/// Functions by which a program gives its threads something to keep, or tells them apart.
constexpr const char* of_threads[] = {
    "pthread_setspecific", "tss_set", "pthread_self", "thrd_current", "gettid", "sched_setaffinity",
    "pthread_setaffinity_np", "pthread_setname_np", "prctl", "set_mempolicy", "numa_run_on_node",
    "numa_bind", "setpriority", "pthread_sigmask", "pthread_setschedparam", "syscall",
    "sigaltstack", "uselocale", "pthread_setcancelstate", "pthread_setcanceltype",
    "__pthread_register_cancel", "pthread_getattr_np", "sched_setscheduler", "sched_setparam",
    "nice", "setns", "unshare", "__gcc_nested_func_ptr_created",
    // A child has the forking thread's stack only.
    "fork", "_Fork", "clone"};

bool concerns_threads(const char* name) {
    for (const char* function : of_threads)
        if (strcmp(name, function) == 0)
            return true;
    return false;
}

/// Makes the calling thread known to Python until a second call; between the two it must not be
/// another thread.
constexpr const char* tying_call = "PyGILState_Ensure";

bool keeps_thread_data(const dl_phdr_info& object, bool& ties) {
    const ElfW(Phdr)* dynamic = nullptr;
    for (int i = 0; i < object.dlpi_phnum; ++i)
        if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = &object.dlpi_phdr[i];
    bool has_data = has_thread_local_storage(object), has_regions = false, has_ties = false;
    if (!dynamic) // all in one: the runtime's own data is there too
        return has_data;
    Imports imports = imports_of(object, *dynamic);
    const auto tells = [&](const ElfW(Sym) & symbol, const char* name) {
        has_regions |= begins_with(name, "GOMP_") || begins_with(name, "__kmpc_");
        // Another object's variable; libstdc++ has some for std::call_once.
        has_data |= (symbol.st_info & 15) == STT_TLS && !begins_with(name, "_ZSt");
        has_data |= concerns_threads(name);
        has_ties |= strcmp(name, tying_call) == 0;
        return begins_with(name, "__kmpc_threadprivate") || (has_regions && has_data);
    };
    const bool found = any_import(imports, tells) ||
                       (has_regions && dl_iterate_phdr(is_needed_with_thread_data, &imports) != 0);
    ties |= has_regions && has_ties;
    return found;
}

int look_at(dl_phdr_info* object, size_t size, void* raw) {
    auto& search = *static_cast<Search*>(raw);
    if (search.loaded == 0) { // the first object
        if (size < offsetof(dl_phdr_info, dlpi_adds) + sizeof object->dlpi_adds) {
            search.found = true; // a loader that does not count: nothing may be assumed
            return 1;
        }
        search.loaded = object->dlpi_adds;
        const uint64_t last = known.load(relaxed);
        if (last >> 2 == search.loaded) {
            search.found = (last & keeps_data) != 0;
            search.ties = (last & ties_calls) != 0;
            return 1;
        }
    }
    search.found = keeps_thread_data(*object, search.ties);
    return search.found ? 1 : 0;
}

} // namespace

bool programs_keep_thread_data() {
    Search search;
    if (!ask_loader(look_at, &search))
        return true; // nothing may be assumed
    if (known.load(relaxed) >> 2 != search.loaded && !search.found && !find_exceptions())
        return true;
    known.store(search.loaded << 2 | (search.found ? keeps_data : 0) |
                    (search.ties ? ties_calls : 0),
                relaxed);
    return search.found;
}

bool programs_tie_calls() { return (known.load(relaxed) & ties_calls) != 0; }

} // namespace heddle::platform
