// SPDX-License-Identifier: Apache-2.0
// On a machine of four NUMA nodes of two CPUs: the domains of a region, where the pages of
// distributed arrays and of partitioned allocators lie, by the kernel's own word, and which
// iterations threads begin with. Usage: locality regions DOMAIN... | pages | allocators | refused |
// loop.
// `regions` takes the domains that hold the region's threads; in `refused` the system does not let
// the program place memory, as in containers. Exits with 1 for a wrong answer.
#define _GNU_SOURCE
#include "masks.h"

#include <errno.h>
#include <heddle.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { nodes = 4, page = 4096 };

/// The node that the kernel keeps the page at `address` on; negative: none yet.
static int node_of(const void* address) {
    void* at = (void*)((uintptr_t)address / page * page);
    int status = -1000;
    if (syscall(SYS_move_pages, 0, 1ul, &at, NULL, &status, 0) != 0)
        status = -2000;
    return status;
}

static int node_of_thread(void) {
    unsigned cpu, node;
    syscall(SYS_getcpu, &cpu, &node, NULL);
    return (int)node;
}

static void regions(int count, char** domains) {
    int expected[nodes];
    for (int i = 0; i < count; i++)
        expected[i] = atoi(domains[i]);
#pragma omp parallel
    {
        expect(omp_get_num_locality_domains() == count, "thread %d counts %d domains, not %d",
               omp_get_thread_num(), omp_get_num_locality_domains(), count);
        const int number = omp_get_locality_domain_num();
        expect(number >= 0 && number < count, "thread %d is in domain %d of %d",
               omp_get_thread_num(), number, count);
        // In a place of two nodes the thread may be moved at any time.
        const int place = omp_get_place_num();
        if (place >= 0 && omp_get_place_num_procs(place) <= 2 && number >= 0 && number < count)
            expect(expected[number] == node_of_thread(), "domain %d is node %d, not %d", number,
                   node_of_thread(), expected[number]);
    }
}

/// Fills `array` from one thread, and compares the node of each page with what is planned: node i
/// modulo 4 for block i of `block` bytes; of a quarter for 0.
static void check_pages(char* array, size_t size, size_t block, const char* what) {
    const size_t quarter = size / nodes;
    size_t wrong = 0;
    int found = 0, planned = 0;
    expect(array != NULL, "%s: no memory", what);
    memset(array, 1, size);
    for (size_t offset = 0; offset < size; offset += page) {
        const size_t number = block ? offset / block : offset / quarter;
        const int expected = (int)(number % nodes), node = node_of(array + offset);
        if (node != expected && wrong++ == 0)
            found = node, planned = expected;
        expect(omp_get_locality_domain_of_page(array + offset) == node,
               "%s: at %zu domain %d is told, the page is on node %d", what, offset,
               omp_get_locality_domain_of_page(array + offset), node);
        expect(omp_get_locality_domain_of_block(array + offset) == expected,
               "%s: at %zu domain %d is planned, not %d", what, offset,
               omp_get_locality_domain_of_block(array + offset), expected);
    }
    expect(wrong == 0, "%s: %zu of %zu pages lie elsewhere, the first on node %d, not %d", what,
           wrong, size / page, found, planned);
    printf("%s: %zu of %zu pages are where they should be\n", what, size / page - wrong,
           size / page);
}

static void pages(void) {
    enum { large = 1 << 22 };
    char* array = omp_locality_domain_allocate_bloc1d(large);
    expect(node_of(array) < 0, "a page is there before it was touched");
    expect(omp_get_locality_domain_of_page(array) == -1, "an untouched page has a domain");
    check_pages(array, large, 0, "blocks");
    expect(omp_get_locality_domain_size(array) == large, "wrong size");
    omp_locality_domain_free(array);
    static const size_t blocks[] = {page, 3 * page, 16 * page, 512 * page};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        char what[40];
        snprintf(what, sizeof what, "cyclic, %zu pages", blocks[i] / page);
        array = omp_locality_domain_allocate_bloc1dcyclic(large, blocks[i]);
        check_pages(array, large, blocks[i], what);
        omp_locality_domain_free(array);
    }
    // More blocks than the system has mappings for a process.
    enum { many = 5000 * 2 * page };
    array = omp_locality_domain_allocate_bloc1dcyclic(many, 2 * page);
    check_pages(array, many, 2 * page, "cyclic, 5000 blocks");
    omp_locality_domain_free(array);
}

/// Blocks of OpenMP's allocators: their pages, which another thread touches than the one that asked
/// for them.
static void check_allocator(omp_alloctrait_value_t partition, int zeroed, int pinned) {
    enum { size = 256 * page };
    const omp_alloctrait_t traits[] = {{omp_atk_partition, partition},
                                       {omp_atk_pinned, pinned ? omp_atv_true : omp_atv_false},
                                       {omp_atk_fallback, omp_atv_null_fb}};
    omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 3, traits);
    char* block = NULL;
    int asked_on = -1, on_node[nodes] = {0}, planned = 0, all = 0;
#pragma omp parallel num_threads(nodes * 2)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 5) {
            block = zeroed ? omp_calloc(1, size, allocator) : omp_alloc(size, allocator);
            asked_on = node_of_thread();
        }
    }
    expect(block != NULL, "partition %d: no memory", (int)partition);
    if (block == NULL)
        return;
    for (size_t i = 0; zeroed && i < size; i++)
        expect(block[i] == 0, "partition %d: byte %zu is not 0", (int)partition, i);
    memset(block, 1, size);
    for (size_t offset = 0; offset < size; offset += page, all++) {
        const int node = node_of(block + offset);
        expect(node >= 0 && node < nodes, "partition %d: node %d", (int)partition, node);
        on_node[node >= 0 && node < nodes ? node : 0]++;
        planned += node == omp_get_locality_domain_of_block(block + offset);
        if (partition == omp_atv_interleaved)
            expect(node == (int)(offset / page % nodes), "page %zu is on node %d", offset / page,
                   node);
    }
    printf("partition %d: %d of %d pages are where they should be\n", (int)partition, planned, all);
    expect(planned == all, "partition %d: only these pages are", (int)partition);
    for (int node = 0; node < nodes; node++) {
        const int share = all / nodes;
        const int least = partition == omp_atv_nearest ? (node == asked_on) * all : share - 1;
        const int most = partition == omp_atv_nearest ? least : share + 1;
        expect(on_node[node] >= least && on_node[node] <= most,
               "partition %d: %d of %d pages are on node %d", (int)partition, on_node[node], all,
               node);
    }
    block = omp_realloc(block, 3 * size, allocator, allocator);
    expect(block != NULL && block[size - 1] == 1, "partition %d: reallocation", (int)partition);
    omp_free(block, allocator);
    omp_destroy_allocator(allocator);
}

static void allocators(void) {
    static const omp_alloctrait_value_t partitions[] = {omp_atv_nearest, omp_atv_blocked,
                                                        omp_atv_interleaved};
    for (int i = 0; i < 3; i++)
        for (int way = 0; way < 4; way++)
            check_allocator(partitions[i], way % 2, way / 2);
}

static void forbid(unsigned call) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {4, filter};
    expect(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0,
           "the system has no filters");
}

static void refused(void) {
    enum { size = 6000 * 2 * page };
    static const size_t blocks[] = {0, page, 2 * page, 512 * page};
    forbid(SYS_mbind);
    forbid(SYS_get_mempolicy);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        char* array = blocks[i] ? omp_locality_domain_allocate_bloc1dcyclic(size, blocks[i])
                                : omp_locality_domain_allocate_bloc1d(size);
        expect(array != NULL, "no memory without placement");
        memset(array, 1, size);
        expect(omp_get_locality_domain_of_page(array) >= 0, "a page has no domain");
        omp_locality_domain_free(array);
    }
    char* array = omp_locality_domain_allocate_bloc1d(size);
    array[0] = 1;
    forbid(SYS_move_pages);
    expect(omp_get_locality_domain_of_page(array) == -1, "a page has a domain that nobody tells");
    omp_locality_domain_free(array);
}

/// One iteration a page: each thread's first one lies on its own node, for nobody gets a second one
/// before all have begun.
static void loop(void) {
    enum { count = 1024 };
    char* array = omp_locality_domain_allocate_bloc1d(count * page);
    memset(array, 1, count * page);
    int begun = 0, local = 0, executed = 0;
    heddle_loop_data(array, page);
#pragma omp parallel
    {
        int first = 1;
#pragma omp for schedule(runtime) reduction(+ : local, executed)
        for (int i = 0; i < count; i++) {
            const int node = node_of(array + (size_t)i * page);
            executed++;
            local += node == node_of_thread();
            if (!first)
                continue;
            first = 0;
            expect(node == node_of_thread(), "thread %d on node %d begins with iteration %d",
                   omp_get_thread_num(), node_of_thread(), i);
            __atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
            while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < omp_get_num_threads())
                sched_yield();
        }
    }
    expect(executed == count, "%d iterations, not %d", executed, count);
    printf("%d of %d iterations on the node of their page\n", local, count);
    omp_locality_domain_free(array);
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "regions") == 0)
        regions(argc - 2, argv + 2);
    else if (strcmp(mode, "pages") == 0)
        pages();
    else if (strcmp(mode, "allocators") == 0)
        allocators();
    else if (strcmp(mode, "refused") == 0)
        refused();
    else if (strcmp(mode, "loop") == 0)
        loop();
    else
        return 2;
    return failures != 0;
}
