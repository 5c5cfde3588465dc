// SPDX-License-Identifier: Apache-2.0
// Do loaded programs keep data with their threads, as threadprivate variables are? Told by the ELF
// headers of the objects that call an OpenMP runtime: gcc, and clang by default, put such
// variables into thread-local storage; with -fno-openmp-use-tls and in flang they are made by
// calls. Called where host threads share the pool (team/pool.cpp), by any thread.
#include "platform/contract.hpp"

#include <cstring>

#include <link.h>

namespace heddle::platform {

namespace {

/// The loader's count of objects that it has loaded, twice, plus 1 when one keeps data. Relaxed:
/// who misses a newer answer finds it again.
Atomic<uint64_t> known{0};

struct Search {
    uint64_t loaded = 0;
    bool found = false;
};

/// What of an object's dynamic section is needed.
struct Imports {
    const ElfW(Sym) * symbols = nullptr;
    const char* names = nullptr;
    const ElfW(Rela) * relocations[2] = {}; ///< of data and of calls
    size_t bytes[2] = {};
    size_t relative = 0; ///< leading ones of data that name no symbol
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

/// Calls visit(name) for the symbols that the object takes from others, until it says true.
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
                visit(imports.names + symbol.st_name))
                return true;
        }
    }
    return false;
}

bool keeps_thread_data(const dl_phdr_info& object) {
    const ElfW(Phdr)* dynamic = nullptr;
    bool has_thread_local = false;
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = object.dlpi_phdr[i];
        if (part.p_type == PT_DYNAMIC)
            dynamic = &part;
        has_thread_local |= part.p_type == PT_TLS && part.p_memsz != 0;
    }
    if (!dynamic) // all in one: the runtime's own data is there too
        return has_thread_local;
    return any_import(imports_of(object, *dynamic), [has_thread_local](const char* name) {
        return begins_with(name, "__kmpc_threadprivate") ||
               (has_thread_local && (begins_with(name, "GOMP_") || begins_with(name, "__kmpc_")));
    });
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
        if (last >> 1 == search.loaded) {
            search.found = (last & 1) != 0;
            return 1;
        }
    }
    search.found = keeps_thread_data(*object);
    return search.found ? 1 : 0;
}

} // namespace

bool programs_keep_thread_data() {
    Search search;
    dl_iterate_phdr(look_at, &search);
    known.store(search.loaded << 1 | (search.found ? 1 : 0), relaxed);
    return search.found;
}

} // namespace heddle::platform
