// SPDX-License-Identifier: Apache-2.0
// The table of modules, from the loader's list, and the detours.
// learn_module() is serialized by a lock; the detours are written while the library is loaded.
#include "tool/modules.hpp"

#include "concurrent/futex_lock.hpp"

#include <cstring>
#include <link.h>
#include <unistd.h>

namespace heddle::tool {

namespace {

Module table[most_modules];
platform::Atomic<uint32_t> known{0};
concurrent::FutexLock table_lock; // of whoever adds to it

struct Detour {
    void (*function)(void*);
    CodeOf code_of;
};
constexpr int most_detours = 16;
Detour detours[most_detours];
int detour_count = 0;

struct Search {
    uint64_t address;
    Module found;
};

int visit(dl_phdr_info* object, size_t, void* raw) {
    auto& search = *static_cast<Search*>(raw);
    uint64_t low = ~uint64_t{0}, high = 0;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = object->dlpi_phdr[i];
        if (part.p_type != PT_LOAD)
            continue;
        const uint64_t begin = object->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
        low = begin < low ? begin : low;
        high = end > high ? end : high;
    }
    if (search.address < low || search.address >= high)
        return 0;
    search.found.base = object->dlpi_addr;
    search.found.low = low;
    search.found.high = high;
    if (object->dlpi_name && object->dlpi_name[0])
        strncpy(search.found.path, object->dlpi_name, sizeof search.found.path - 1);
    else if (readlink("/proc/self/exe", search.found.path, sizeof search.found.path - 1) < 0)
        strncpy(search.found.path, "the program", sizeof search.found.path - 1);
    return 1;
}

} // namespace

const Module* find_module(uint64_t address) {
    const uint32_t count = known.load(platform::acquire); // pairs with learn_module()
    for (uint32_t i = count; i-- > 0;)
        if (address >= table[i].low && address < table[i].high)
            return &table[i];
    return nullptr;
}

const Module* learn_module(uint64_t address) {
    if (const Module* module = find_module(address))
        return module;
    Search search{};
    search.address = address;
    if (!platform::ask_loader(visit, &search) || search.found.high == 0)
        return nullptr;
    const concurrent::LockGuard guard(table_lock);
    const Module* module = find_module(address);
    const uint32_t count = known.load(platform::relaxed);
    if (!module && count < most_modules) {
        table[count] = search.found;
        known.store(count + 1, platform::release); // to find_module()
        module = &table[count];
    }
    return module;
}

const Module* known_modules(uint32_t& count) {
    count = known.load(platform::acquire); // pairs with learn_module()
    return table;
}

void forget_modules_lock_after_fork() { ::new (&table_lock) concurrent::FutexLock; }

void add_detour(void (*function)(void*), CodeOf code_of) {
    if (detour_count < most_detours)
        detours[detour_count++] = {function, code_of};
}

uint64_t code_address(void (*function)(void*), const void* data) {
    for (int i = 0; i < detour_count; ++i)
        if (detours[i].function == function)
            return reinterpret_cast<uint64_t>(detours[i].code_of(data));
    return reinterpret_cast<uint64_t>(function);
}

} // namespace heddle::tool
