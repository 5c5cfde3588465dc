// SPDX-License-Identifier: Apache-2.0
// malloc() and its kin for heddle-sim, in the place of the C library's: blocks of one size class in
// a row at fixed addresses, freed ones first. Classes are a quarter of a power of two apart. What
// the process allocates before a run comes from another heap than what it does in the run.
// One OS thread calls; a block keeps its heap and class in the 16 bytes before it.
#include "platform/fixed_memory.hpp"

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>

namespace heddle::sim {

namespace {

constexpr size_t alignment = 16, heap_bytes = size_t{8} << 30, page = 4096;
constexpr int classes = 256;
uintptr_t next_pages = uintptr_t{0x200000000000};

struct Header {
    char* block; ///< where it begins; less than the address of the header when it is aligned
    uint32_t size_class;
    uint32_t heap;
};
static_assert(sizeof(Header) == alignment);

struct Heap {
    char *next = nullptr, *end = nullptr;
    char* free_blocks[classes] = {};
};
Heap heaps[2];
uint32_t current_heap = 0;

int class_of(size_t size) {
    if (size <= 64)
        return static_cast<int>((size + 15) / 16);  // 1 to 4
    const int power = std::bit_width(size - 1) - 1; // size is in (2^power, 2^(power+1)]
    return 4 * (power - 5) + static_cast<int>((size - 1) >> (power - 2) & 3) + 1;
}

size_t size_of(int size_class) {
    if (size_class <= 4)
        return static_cast<size_t>(size_class) * 16;
    const int power = (size_class - 1) / 4 + 5, quarter = (size_class - 1) % 4;
    return (size_t{1} << power) + (static_cast<size_t>(quarter) + 1) * (size_t{1} << (power - 2));
}

char* take_block(Heap& heap, int size_class) {
    if (char* block = heap.free_blocks[size_class]) {
        memcpy(&heap.free_blocks[size_class], block, sizeof block);
        return block;
    }
    if (!heap.next) {
        heap.next = static_cast<char*>(fixed_pages(heap_bytes));
        if (!heap.next)
            return nullptr;
        heap.end = heap.next + heap_bytes;
    }
    const size_t size = size_of(size_class);
    if (static_cast<size_t>(heap.end - heap.next) < size)
        return nullptr;
    char* const block = heap.next;
    heap.next += size;
    return block;
}

void* allocate(size_t size, size_t wanted) {
    if (size > heap_bytes / 2 || wanted > heap_bytes / 4) {
        errno = ENOMEM;
        return nullptr;
    }
    const size_t room = wanted > alignment ? wanted : 0;
    const int size_class = class_of(size + sizeof(Header) + room);
    char* const block = take_block(heaps[current_heap], size_class);
    if (!block) {
        errno = ENOMEM;
        return nullptr;
    }
    char* start = block + sizeof(Header);
    if (room != 0) // what is added is a multiple of 16
        start += (wanted - reinterpret_cast<uintptr_t>(start) % wanted) % wanted;
    const Header header{block, static_cast<uint32_t>(size_class), current_heap};
    memcpy(start - sizeof header, &header, sizeof header);
    return start;
}

Header header_of(const void* start) {
    Header header;
    memcpy(&header, static_cast<const char*>(start) - sizeof header, sizeof header);
    return header;
}

void release(void* start) {
    if (!start)
        return;
    const Header header = header_of(start);
    char*& first = heaps[header.heap].free_blocks[header.size_class];
    memcpy(header.block, &first, sizeof first);
    first = header.block;
}

size_t usable(const void* start) {
    const Header header = header_of(start);
    return size_of(static_cast<int>(header.size_class)) -
           static_cast<size_t>(static_cast<const char*>(start) - header.block);
}

} // namespace

void* fixed_pages(size_t size) {
    size = (size + page - 1) / page * page;
    void* const wanted = reinterpret_cast<void*>(next_pages);
    void* const start =
        mmap(wanted, size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (start == MAP_FAILED)
        return nullptr;
    next_pages += size + page; // and one that may not be touched
    return start;
}

void begin_run_heap() { current_heap = 1; }

} // namespace heddle::sim

// The compiler knows these names: it must not make calls of them out of what they do.
extern "C" {

void* malloc(size_t size) { return heddle::sim::allocate(size, heddle::sim::alignment); }

void free(void* start) { heddle::sim::release(start); }

void* calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return nullptr;
    }
    void* const start = heddle::sim::allocate(bytes, heddle::sim::alignment);
    return start ? memset(start, 0, bytes) : nullptr;
}

void* realloc(void* old, size_t size) {
    if (old && heddle::sim::usable(old) >= size)
        return old;
    void* const start = heddle::sim::allocate(size, heddle::sim::alignment);
    if (start && old) {
        memcpy(start, old, heddle::sim::usable(old));
        heddle::sim::release(old);
    }
    return start;
}

void* aligned_alloc(size_t wanted, size_t size) { return heddle::sim::allocate(size, wanted); }
void* memalign(size_t wanted, size_t size) { return heddle::sim::allocate(size, wanted); }

int posix_memalign(void** result, size_t wanted, size_t size) {
    const int saved = errno;
    *result = heddle::sim::allocate(size, wanted);
    errno = saved;
    return *result ? 0 : ENOMEM;
}

size_t malloc_usable_size(void* start) { return start ? heddle::sim::usable(start) : 0; }

} // extern "C"
