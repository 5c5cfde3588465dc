// SPDX-License-Identifier: Apache-2.0
// Stubs for what libomp and libiomp5 export and Heddle does not serve: functions for libomp's tests
// and tools, and Intel's extensions. A stub names itself on stderr and aborts: a missing symbol
// would fall through to a libomp that knows nothing of our teams, and go wrong in silence. Called
// by programs that need them. Some symbols are not even stubs:
// - variables of libomp's debuggers and of Intel's offload libraries (__kmp_debugging,
//   __kmp_omp_debug_struct_info, __kmp_thread_pool, __kmp_gtid, kmp_*_debug, kmp_diag,
//   kmp_mutex_impl_info, kmp_ext_*, kmp_target_*_cb): who finds them reads, or waits for, what is
//   not there. Without them the loader names the one that is missing;
// - internal functions whose names begin with __kmp_ or ___kmp_, and kmp_threadprivate_*: libomp
//   and libiomp5 call their own through the linkage table. Preloaded beside them we would catch
//   those calls, and abort a process in which somebody asks the other runtime by its handle;
// - __atomic_load, __atomic_store and __atomic_compare_exchange: they would take libatomic's place;
// - omp_cgroup_mem_space and omp_get_uid_from_device_, which libomp 22 has and no header of it
//   declares.
#include "abi/export.hpp"
#include "platform.hpp"

// Arguments and results do not matter to a function that never returns: one shape serves all.
#define UNSUPPORTED(name, reason)                                                                  \
    HEDDLE_EXPORT [[noreturn]] void name() { heddle::platform::die(#name reason); }
#define INTERNAL(name) UNSUPPORTED(name, ": internal functions of libomp are not supported")
#define EXTENSION(name) UNSUPPORTED(name, ": this extension of libiomp5 is not supported")

// clang-format off: to the end, the names are packed into lines.
INTERNAL(__kmpc_invoke_task_func) INTERNAL(__kmpc_task_get_depnode)
INTERNAL(__kmpc_task_get_successors)

EXTENSION(__kmpc___atomic_compare_exchange_n) EXTENSION(__kmpc___atomic_load_n)
EXTENSION(__kmpc___atomic_store_n) EXTENSION(__kmpc_get_current_task)
EXTENSION(__kmpc_get_interop_name) EXTENSION(__kmpc_get_interop_ptr)
EXTENSION(__kmpc_get_interop_rc_desc) EXTENSION(__kmpc_get_interop_str)
EXTENSION(__kmpc_get_interop_type_desc) EXTENSION(__kmpc_get_offload_device_num)
EXTENSION(__kmpc_get_ompt_callbacks) EXTENSION(__kmpc_get_timestamp)
EXTENSION(__kmpc_get_uid_from_device) EXTENSION(__kmpc_getenv_device)
EXTENSION(__kmpc_set_device_trait) EXTENSION(omp_lib_mp_omp_get_interop_name_)
EXTENSION(omp_lib_mp_omp_get_interop_ptr_) EXTENSION(omp_lib_mp_omp_get_interop_rc_desc_)
EXTENSION(omp_lib_mp_omp_get_interop_str_) EXTENSION(omp_lib_mp_omp_get_interop_type_desc_)
EXTENSION(omp_lib_mp_omp_get_uid_from_device_)
