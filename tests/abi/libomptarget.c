/* SPDX-License-Identifier: Apache-2.0
 * Stands in for libomptarget, and for a tool: three devices, a property that is its own number, and
 * a tool that answers with the address of the runtime's own ompt_start_tool. Built by
 * test_versions.py with the node VERS1.0. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

int omp_get_num_devices(void) { return 3; }
int omp_get_initial_device(void) { return 3; }
const char *omp_get_uid_from_device(int device) { return device == 1 ? "device 1" : "another"; }
int omp_get_device_from_uid(const char *uid) { return uid[0] == 'd' ? 1 : -2; }

intptr_t omp_get_interop_int(const void *object, int property, int *code) {
    *code = object ? 1 : 0;
    return property;
}

void *ompt_start_tool(unsigned version, const char *runtime) {
    return version && runtime ? dlvsym(RTLD_DEFAULT, "ompt_start_tool", "VERSION") : 0;
}
