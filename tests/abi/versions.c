/* SPDX-License-Identifier: Apache-2.0
 * Asks the routines for their answers under both version nodes, gcc's and clang's, as a program of
 * each compiler would. Run by test_versions.py, which tells in the first argument how many devices
 * libomptarget has, and the second what __kmpc_get_target_offload must be. Returns a line's number. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { initial_device = -1, clang_null_space = 0, clang_default_space = 99, default_alloc = 1 };

/* What clang makes of a depend clause, and of a depend object: an array behind its count. */
struct depend_info {
    intptr_t base;
    size_t length;
    uint8_t flags;
};

static void *find(const char *name, const char *node) {
    void *function = dlvsym(RTLD_DEFAULT, name, node);
    if (!function) {
        fprintf(stderr, "%s@%s is missing\n", name, node);
        exit(1);
    }
    return function;
}

static int ask(const char *name, const char *node) {
    return ((int (*)(void))find(name, node))();
}

static void check_devices(int devices) {
    CHECK(ask("omp_get_num_devices", "VERSION") == devices);
    CHECK(ask("omp_get_num_devices_", "VERSION") == devices);
    CHECK(ask("omp_get_initial_device", "VERSION") == devices);
    CHECK(ask("omp_get_num_devices", "OMP_4.0") == 0);
    CHECK(ask("omp_get_initial_device", "OMP_4.5") == 0);

    enum { soft = 1, host_for_gcc = 0 };
    int (*pause)(int, int) = find("omp_pause_resource", "VERSION");
    CHECK(pause(soft, devices) == 0);
    CHECK(pause(soft, initial_device) == 0);
    CHECK(pause(soft, host_for_gcc) == (devices ? -1 : 0));

    const char *(*uid)(int) = find("omp_get_uid_from_device", "VERSION");
    CHECK(devices ? strcmp(uid(1), "device 1") == 0 : uid(1) == NULL);
    CHECK(uid(initial_device) != NULL);
    int (*device)(const char *) = find("omp_get_device_from_uid", "VERSION");
    if (devices) {
        CHECK(device("device 1") == 1);
    } else {
        enum { gcc_invalid_device = -4, clang_invalid_device = -2 };
        int (*gcc_device)(const char *) = find("omp_get_device_from_uid", "GOMP_6.0");
        int (*fortran_device)(const char *, size_t) = find("omp_get_device_from_uid_", "VERSION");
        CHECK(device("none") == clang_invalid_device && fortran_device("none", 4) == device("none"));
        CHECK(gcc_device("none") == gcc_invalid_device);
        CHECK(device(uid(initial_device)) == 0 && gcc_device(uid(initial_device)) == 0);
    }

    enum { access_cgroup = 0 };
    void *(*private)(size_t, int) = find("omp_get_dyn_gprivate_ptr", "VERSION");
    void *(*or_null)(size_t, int) = find("omp_get_dyn_gprivate_nofb_ptr", "VERSION");
    size_t (*private_size)(int) = find("omp_get_dyn_gprivate_size", "VERSION");
    uintptr_t (*private_space)(int) = find("omp_get_dyn_gprivate_memspace", "VERSION");
    CHECK(!private(0, access_cgroup) && !or_null(0, access_cgroup));
    CHECK(private_size(access_cgroup) == 0 && private_space(access_cgroup) == clang_null_space);

    intptr_t (*property)(void *, int, int *) = find("omp_get_interop_int", "VERSION");
    intptr_t (*fortran)(void **, int *, int *) = find("omp_get_interop_int_", "VERSION");
    void *object = NULL;
    int code = 7, number = -5;
    CHECK(property(object, number, &code) == (devices ? number : 0));
    CHECK(code == (devices ? 0 : -1));
    CHECK(fortran(&object, &number, &code) == (devices ? number : 0));
}

static void check_memory_spaces(void) {
    uintptr_t (*init)(uintptr_t, int, void *) = find("omp_init_allocator", "VERSION");
    CHECK(init(clang_default_space, 0, NULL) != 0);
    CHECK(init(0, 0, NULL) != 0);
    uintptr_t (*gcc_init)(uintptr_t, int, void *) = find("omp_init_allocator", "OMP_5.0.1");
    CHECK(gcc_init(clang_default_space, 0, NULL) == 0);

    /* access=all is 19 since LLVM 20; then alignment=128, and what only devices have. */
    struct { uint32_t key; uintptr_t value; }
    traits[] = {{3, 19}, {2, 128}, {12, 20}, {14, 1}};
    const uintptr_t made = init(clang_default_space, 4, traits);
    void *(*alloc)(size_t, uintptr_t) = find("omp_alloc", "VERSION");
    void *block = made ? alloc(5, made) : NULL;
    CHECK(block && (uintptr_t)block % 128 == 0);
    ((void (*)(void *, uintptr_t))find("omp_free", "VERSION"))(block, made);
    traits[1].value = 127;
    CHECK(init(clang_default_space, 4, traits) == 0);

    uintptr_t (*space)(int, uintptr_t) = find("omp_get_device_memspace", "VERSION");
    CHECK(space(initial_device, clang_default_space) == clang_default_space);
    CHECK(space(initial_device, 4) == 4);
    CHECK(space(initial_device, clang_null_space) == clang_null_space);
    CHECK(space(1000, 4) == clang_null_space);
    int device = initial_device;
    uintptr_t wanted = clang_default_space;
    uintptr_t (*fortran)(int *, uintptr_t *) = find("omp_get_device_and_host_memspace_", "VERSION");
    CHECK(fortran(&device, &wanted) == clang_default_space);
    uintptr_t (*allocator)(int, uintptr_t) = find("omp_get_device_allocator", "VERSION");
    CHECK(allocator(initial_device, clang_default_space) == default_alloc);
    CHECK(allocator(initial_device, clang_null_space) == 0);
    CHECK(*(uintptr_t *)find("omp_default_mem_space", "VERSION") == clang_default_space);
    CHECK(*(uintptr_t *)find("omp_thread_mem_alloc", "VERSION") == 8);
}

/* clang's omp_lock_t and omp_nest_lock_t have 8 bytes. */
static void check_locks(void) {
    static const char *const calls[] = {"omp_init_lock", "omp_set_lock", "omp_unset_lock",
                                        "omp_init_nest_lock", "omp_set_nest_lock",
                                        "omp_unset_nest_lock"};
    uint64_t words[2] = {0x5555555555555555, 0x5555555555555555};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        ((void (*)(void *))find(calls[i], "VERSION"))(words);
        CHECK(words[1] == 0x5555555555555555);
    }
}

/* A copy that depends on a task comes after it, with depend objects of clang. */
static void check_copy(void) {
    int (*copy)(void *, const void *, size_t, size_t, size_t, int, int, int, void *) =
        find("omp_target_memcpy_async", "VERSION");
    int from = 0, to = 0, other = 0;
    struct depend_info in[] = {{2, 0, 0}, {(intptr_t)&other, 0, 1}, {(intptr_t)&from, 0, 1}};
    struct depend_info *object = &in[1];
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : from) shared(from)
        {
            for (volatile int i = 0; i < 1000000; i++)
                ;
            __atomic_store_n(&from, 42, __ATOMIC_RELAXED);
        }
        CHECK(copy(&to, &from, sizeof to, 0, 0, initial_device, initial_device, 1, &object) == 0);
#pragma omp taskwait
        CHECK(to == 42);
    }
    CHECK(copy(&to, &other, sizeof to, 0, 0, initial_device, initial_device, 0, NULL) == 0);
    CHECK(to == 0);
}

/* flang reads 8 bytes of the result, gfortran 4. */
static void check_lengths(void) {
    char text[4];
    size_t (*format)(char *, size_t) = find("omp_get_affinity_format_", "VERSION");
    CHECK(format(text, sizeof text) > sizeof text && format(text, sizeof text) < 1000);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    const int devices = atoi(argv[1]);
    check_devices(devices);
    check_memory_spaces();
    check_locks();
    if (devices == 0)
        check_copy();
    check_lengths();
    CHECK(ask("__kmpc_get_target_offload", "VERSION") == atoi(argv[2]));
    void *(*start_tool)(unsigned, const char *) = find("ompt_start_tool", "VERSION");
    CHECK(start_tool(202411, "test") == (devices ? (void *)start_tool : NULL));
    return 0;
}
