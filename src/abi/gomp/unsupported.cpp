// SPDX-License-Identifier: Apache-2.0
// Stubs for the entry points of libgomp that are out of Heddle's scope: OpenACC, and the interface
// to libgomp's offload plugins. Called by programs that use them: a stub names itself on stderr and
// aborts, for a missing symbol would fall through to a libgomp that knows nothing of our teams, and
// go wrong in silence.
#include "abi/export.hpp"
#include "platform.hpp"

// Arguments and results do not matter to a function that never returns: one shape serves all.
#define UNSUPPORTED(name, reason)                                                                  \
    HEDDLE_EXPORT [[noreturn]] void name() { heddle::platform::die(#name reason); }
#define OPENACC(name) UNSUPPORTED(name, ": OpenACC is not supported")
#define OFFLOAD_PLUGIN(name) UNSUPPORTED(name, ": offload plugins are not supported")

// clang-format off: to the end, the names are packed into lines.
// What gcc -fopenacc generates, then the user routines (C, and the *_h_ spellings of Fortran).
OPENACC(GOACC_data_end) OPENACC(GOACC_data_start) OPENACC(GOACC_declare) OPENACC(GOACC_enter_data)
OPENACC(GOACC_enter_exit_data) OPENACC(GOACC_exit_data) OPENACC(GOACC_get_num_threads)
OPENACC(GOACC_get_thread_num) OPENACC(GOACC_parallel) OPENACC(GOACC_parallel_keyed)
OPENACC(GOACC_update) OPENACC(GOACC_wait)

OPENACC(acc_async_test) OPENACC(acc_async_test_all) OPENACC(acc_async_test_all_h_)
OPENACC(acc_async_test_h_) OPENACC(acc_async_wait) OPENACC(acc_async_wait_all) OPENACC(acc_attach)
OPENACC(acc_attach_async) OPENACC(acc_copyin) OPENACC(acc_copyin_32_h_) OPENACC(acc_copyin_64_h_)
OPENACC(acc_copyin_array_h_) OPENACC(acc_copyin_async) OPENACC(acc_copyin_async_32_h_)
OPENACC(acc_copyin_async_64_h_) OPENACC(acc_copyin_async_array_h_) OPENACC(acc_copyout)
OPENACC(acc_copyout_32_h_) OPENACC(acc_copyout_64_h_) OPENACC(acc_copyout_array_h_)
OPENACC(acc_copyout_async) OPENACC(acc_copyout_async_32_h_) OPENACC(acc_copyout_async_64_h_)
OPENACC(acc_copyout_async_array_h_) OPENACC(acc_copyout_finalize)
OPENACC(acc_copyout_finalize_32_h_) OPENACC(acc_copyout_finalize_64_h_)
OPENACC(acc_copyout_finalize_array_h_) OPENACC(acc_copyout_finalize_async) OPENACC(acc_create)
OPENACC(acc_create_32_h_) OPENACC(acc_create_64_h_) OPENACC(acc_create_array_h_)
OPENACC(acc_create_async) OPENACC(acc_create_async_32_h_) OPENACC(acc_create_async_64_h_)
OPENACC(acc_create_async_array_h_) OPENACC(acc_delete) OPENACC(acc_delete_32_h_)
OPENACC(acc_delete_64_h_) OPENACC(acc_delete_array_h_) OPENACC(acc_delete_async)
OPENACC(acc_delete_async_32_h_) OPENACC(acc_delete_async_64_h_) OPENACC(acc_delete_async_array_h_)
OPENACC(acc_delete_finalize) OPENACC(acc_delete_finalize_32_h_) OPENACC(acc_delete_finalize_64_h_)
OPENACC(acc_delete_finalize_array_h_) OPENACC(acc_delete_finalize_async) OPENACC(acc_detach)
OPENACC(acc_detach_async) OPENACC(acc_detach_finalize) OPENACC(acc_detach_finalize_async)
OPENACC(acc_deviceptr) OPENACC(acc_free) OPENACC(acc_get_cuda_stream)
OPENACC(acc_get_current_cuda_context) OPENACC(acc_get_current_cuda_device)
OPENACC(acc_get_device_num) OPENACC(acc_get_device_num_h_) OPENACC(acc_get_device_type)
OPENACC(acc_get_device_type_h_) OPENACC(acc_get_num_devices) OPENACC(acc_get_num_devices_h_)
OPENACC(acc_get_property) OPENACC(acc_get_property_h_) OPENACC(acc_get_property_string)
OPENACC(acc_get_property_string_h_) OPENACC(acc_hostptr) OPENACC(acc_init) OPENACC(acc_init_h_)
OPENACC(acc_is_present) OPENACC(acc_is_present_32_h_) OPENACC(acc_is_present_64_h_)
OPENACC(acc_is_present_array_h_) OPENACC(acc_malloc) OPENACC(acc_map_data)
OPENACC(acc_memcpy_from_device) OPENACC(acc_memcpy_from_device_async) OPENACC(acc_memcpy_to_device)
OPENACC(acc_memcpy_to_device_async) OPENACC(acc_on_device) OPENACC(acc_on_device_h_)
OPENACC(acc_pcopyin) OPENACC(acc_pcreate) OPENACC(acc_present_or_copyin)
OPENACC(acc_present_or_copyin_32_h_) OPENACC(acc_present_or_copyin_64_h_)
OPENACC(acc_present_or_copyin_array_h_) OPENACC(acc_present_or_create)
OPENACC(acc_present_or_create_32_h_) OPENACC(acc_present_or_create_64_h_)
OPENACC(acc_present_or_create_array_h_) OPENACC(acc_prof_lookup) OPENACC(acc_prof_register)
OPENACC(acc_prof_unregister) OPENACC(acc_register_library) OPENACC(acc_set_cuda_stream)
OPENACC(acc_set_device_num) OPENACC(acc_set_device_num_h_) OPENACC(acc_set_device_type)
OPENACC(acc_set_device_type_h_) OPENACC(acc_shutdown) OPENACC(acc_shutdown_h_)
OPENACC(acc_unmap_data) OPENACC(acc_update_device) OPENACC(acc_update_device_32_h_)
OPENACC(acc_update_device_64_h_) OPENACC(acc_update_device_array_h_)
OPENACC(acc_update_device_async) OPENACC(acc_update_device_async_32_h_)
OPENACC(acc_update_device_async_64_h_) OPENACC(acc_update_device_async_array_h_)
OPENACC(acc_update_self) OPENACC(acc_update_self_32_h_) OPENACC(acc_update_self_64_h_)
OPENACC(acc_update_self_array_h_) OPENACC(acc_update_self_async)
OPENACC(acc_update_self_async_32_h_) OPENACC(acc_update_self_async_64_h_)
OPENACC(acc_update_self_async_array_h_) OPENACC(acc_wait) OPENACC(acc_wait_all)
OPENACC(acc_wait_all_async) OPENACC(acc_wait_all_async_h_) OPENACC(acc_wait_all_h_)
OPENACC(acc_wait_async) OPENACC(acc_wait_async_h_) OPENACC(acc_wait_h_)

OPENACC(acc_copyout_finalize_async_32_h_) OPENACC(acc_copyout_finalize_async_64_h_)
OPENACC(acc_copyout_finalize_async_array_h_) OPENACC(acc_delete_finalize_async_32_h_)
OPENACC(acc_delete_finalize_async_64_h_) OPENACC(acc_delete_finalize_async_array_h_)
OPENACC(acc_memcpy_device) OPENACC(acc_memcpy_device_async)

OFFLOAD_PLUGIN(GOMP_PLUGIN_acc_default_dim) OFFLOAD_PLUGIN(GOMP_PLUGIN_acc_thread)
OFFLOAD_PLUGIN(GOMP_PLUGIN_async_unmap_vars) OFFLOAD_PLUGIN(GOMP_PLUGIN_debug)
OFFLOAD_PLUGIN(GOMP_PLUGIN_error) OFFLOAD_PLUGIN(GOMP_PLUGIN_fatal)
OFFLOAD_PLUGIN(GOMP_PLUGIN_goacc_profiling_dispatch) OFFLOAD_PLUGIN(GOMP_PLUGIN_goacc_thread)
OFFLOAD_PLUGIN(GOMP_PLUGIN_malloc) OFFLOAD_PLUGIN(GOMP_PLUGIN_malloc_cleared)
OFFLOAD_PLUGIN(GOMP_PLUGIN_realloc) OFFLOAD_PLUGIN(GOMP_PLUGIN_target_rev)
OFFLOAD_PLUGIN(GOMP_PLUGIN_target_task_completion)
