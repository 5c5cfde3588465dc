// SPDX-License-Identifier: Apache-2.0
// What a tool may ask of threads, parallel regions and tasks (OpenMP 5.2 section 19.5.2): kept only
// while a tool is active. A thread's tasks are a chain from the innermost one on its stack
// outwards; from an implicit task it leads to the task that met the region, on whatever thread.
// Written by the thread that executes the task; a region by its primary. A region's data outlive
// its threads' use of them, for those have arrived at its closing barrier, and forget them there.
#pragma once

#include "tool/ompt.hpp"

namespace heddle::team {

struct ToolTask;

/// A parallel region, or what there is around an initial task.
struct ToolParallel {
    ompt_data_t data{};
    ToolTask* encountering = nullptr; ///< nullptr around the initial task of a thread
    const void* code = nullptr;       ///< where the construct returns to
    int size = 1;
    int flags = 0; ///< of ompt_parallel_flag_t
};

/// How frames are told: as by libomp 22, whose addresses too are frame pointers, but called cfa.
inline constexpr int runtime_frame = ompt_frame_runtime | ompt_frame_cfa;
inline constexpr int program_frame = ompt_frame_application | ompt_frame_cfa;

/// The loop or the sections that an implicit task is in.
struct ToolWork {
    ompt_work_t kind = ompt_work_loop;
    bool open = false;          ///< its end is not told yet
    const void* code = nullptr; ///< where the entry point that began it returns to
};

struct ToolTask {
    ompt_data_t data{};
    ompt_frame_t frame{{}, {}, runtime_frame, runtime_frame};
    int flags = 0;                    ///< of ompt_task_flag_t
    int number = 0;                   ///< of its thread in the team
    ToolParallel* parallel = nullptr; ///< nullptr when the region has ended
    ToolTask* outer = nullptr;        ///< the next one outwards; also nullptr then
    ToolWork work;
};

/// In Worker.
struct ToolThread {
    ompt_data_t data{};
    ToolTask* task = nullptr;   ///< the innermost one; nullptr while none is told
    const void* code = nullptr; ///< where the entry point that it is in returns to
    ompt_state_t state = ompt_state_work_serial;
    ompt_wait_id_t wait_id = ompt_wait_id_none;
    unsigned requested = 0;        ///< threads of the next region, where fewer come for that reason
    ompt_dispatch_chunk_t chunk{}; ///< of a taskloop: what the next task created has, if any
    ompt_task_status_t leaving = ompt_task_switch; ///< why the current task is suspended next
    ToolTask initial;
    ToolParallel around; ///< the initial task
};

} // namespace heddle::team
