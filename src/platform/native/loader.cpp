// SPDX-License-Identifier: Apache-2.0
// Questions to the loader about what is loaded. Not by dlopen() or dlsym(): they wait for a thread
// that executes constructors of a library, which may wait for us. Each question takes a lock that
// fork() does not know: one thread at a time asks or forks, and a forked child, whose parent's
// other threads may have been in the loader, asks nothing. Any thread asks.
#include "platform/contract.hpp"

#include <cstring>

#include <link.h>
#include <pthread.h>

namespace heddle::platform {

namespace {

/// The thread that asks, or, with `forking`, that forks.
Atomic<uint64_t> asking{0};
constexpr uint64_t nobody = 0, forking = 1; // in the lowest bit, which an address leaves free

Atomic<uint32_t> is_forked{0}; ///< relaxed: set before the child has threads

/// Neither side waits without an end: a program may fork, or open a region, where the loader calls
/// it back, and in a signal handler, and in fork's handlers. In time, not in yields, which take
/// long where other processes want the CPU.
constexpr uint64_t patience_ns = 25'000'000, patience_of_fork_ns = 250'000'000;

uint64_t this_thread() { return uint64_t{pthread_self()}; }

bool try_to_hold(uint64_t holder, uint64_t patience) {
    for (uint64_t began = 0; began == 0 || now_ns() - began < patience; yield()) {
        uint64_t free = nobody;
        // pairs with let_go()
        if (asking.compare_exchange_strong(free, holder, acquire, relaxed))
            return true;
        if ((free & ~forking) == this_thread())
            return false;
        if (began == 0)
            began = now_ns();
    }
    return false;
}

void let_go() { asking.store(nobody, release); } // to try_to_hold()

void before_fork() { try_to_hold(this_thread() | forking, patience_of_fork_ns); }

void after_fork() {
    if (asking.load(relaxed) == (this_thread() | forking))
        let_go();
}

void in_child() {
    is_forked.store(1, relaxed);
    let_go(); // whoever asked is no more
}

/// A hash table of symbols, as the GNU linker and its successors write it.
class SymbolTable {
public:
    explicit SymbolTable(const dl_phdr_info& object) {
        for (int i = 0; i < object.dlpi_phnum; ++i)
            if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
                read(object, object.dlpi_phdr[i].p_vaddr);
    }

    /// The symbol that the object defines by that name, or nullptr.
    const ElfW(Sym) * find(const char* name) const {
        if (!hashes_ || !symbols_ || !names_ || hashes_[0] == 0)
            return nullptr;
        uint32_t hash = 5381;
        for (const char* c = name; *c != '\0'; ++c)
            hash = hash * 33 + static_cast<unsigned char>(*c);
        const uint32_t buckets = hashes_[0], first = hashes_[1];
        const uint32_t* bucket = hashes_ + 4 + hashes_[2] * (sizeof(ElfW(Addr)) / 4);
        const uint32_t* chain = bucket + buckets;
        uint32_t number = bucket[hash % buckets];
        if (number < first)
            return nullptr;
        for (;; ++number) {
            const uint32_t found = chain[number - first];
            const ElfW(Sym)& symbol = symbols_[number];
            if ((found | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF &&
                strcmp(names_ + symbol.st_name, name) == 0)
                return &symbol;
            if (found & 1)
                return nullptr;
        }
    }

private:
    void read(const dl_phdr_info& object, ElfW(Addr) dynamic) {
        const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + dynamic);
        for (; entry->d_tag != DT_NULL; ++entry) {
            ElfW(Addr) value = entry->d_un.d_ptr; // some loaders leave it as it is in the file
            value += value < object.dlpi_addr ? object.dlpi_addr : 0;
            if (entry->d_tag == DT_SYMTAB)
                symbols_ = reinterpret_cast<const ElfW(Sym)*>(value);
            else if (entry->d_tag == DT_STRTAB)
                names_ = reinterpret_cast<const char*>(value);
            else if (entry->d_tag == DT_GNU_HASH)
                hashes_ = reinterpret_cast<const uint32_t*>(value);
        }
    }

    const ElfW(Sym) * symbols_ = nullptr;
    const char* names_ = nullptr;
    const uint32_t* hashes_ = nullptr; ///< buckets, first symbol, words of the filter, its shift
};

struct Wanted {
    const char *name, *file;
    const void* but;
    void* found;
};

bool is_in(const dl_phdr_info& object, const char* file) {
    const char* slash = strrchr(object.dlpi_name, '/');
    return strncmp(slash ? slash + 1 : object.dlpi_name, file, strlen(file)) == 0;
}

int look_up(dl_phdr_info* object, size_t, void* raw) {
    auto& wanted = *static_cast<Wanted*>(raw);
    if (!is_in(*object, wanted.file))
        return 0;
    if (const ElfW(Sym)* symbol = SymbolTable(*object).find(wanted.name)) {
        void* const address = reinterpret_cast<void*>(object->dlpi_addr + symbol->st_value);
        if (address != wanted.but)
            wanted.found = address;
    }
    return wanted.found != nullptr;
}

} // namespace

bool ask_loader(int (*visit)(dl_phdr_info*, size_t, void*), void* data) {
    if (is_forked.load(relaxed) || !try_to_hold(this_thread(), patience_ns))
        return false;
    dl_iterate_phdr(visit, data);
    let_go();
    return true;
}

bool find_function(const char* name, const char* file, const void* but, void*& found) {
    Wanted wanted{name, file, but, nullptr};
    const bool asked = ask_loader(look_up, &wanted);
    found = wanted.found;
    return asked;
}

// The child's handler comes before all that are registered later, the others behind them.
void ask_no_loader_while_forking() { pthread_atfork(before_fork, after_fork, in_child); }

} // namespace heddle::platform
