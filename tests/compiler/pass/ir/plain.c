// SPDX-License-Identifier: Apache-2.0
// A task with captures has both forms; taskwait is called only if there is a child.
void work(int* result, int n);

void plain(int n) {
    int result;
#pragma omp task shared(result) firstprivate(n)
    work(&result, n);
#pragma omp taskwait
}
// LLVM's passes see the captures go to this stack, and one call.
// MARK: @heddle.construct = private unnamed_addr constant {{.*}} { ptr @{{.*}}, ptr @.omp_task_entry., i64 48, i64 8, i64 1 }
// MARK-LABEL: define {{.*}} @plain(
// MARK-DAG: %heddle.shareds = alloca [8 x i8]
// MARK-DAG: %heddle.room = alloca [48 x i8], align 16
// MARK-NOT: @__kmpc_omp_task_alloc
// MARK: store ptr %heddle.shareds, ptr %heddle.room
// MARK: call void @llvm.memcpy
// MARK: call void @heddle.task(ptr @heddle.construct, ptr %heddle.room, ptr %heddle.shareds, i32 0, i32 0) #[[MARK:[0-9]+]]
// MARK-NOT: @__kmpc_omp_task(
// MARK: call i32 @__kmpc_omp_taskwait(
// MARK: attributes #[[MARK]] = { noduplicate nomerge nounwind }
// MARK-NOT: norecurse

// The distance to the thread's state has a constructor of its own, once in a program. Nobody's state
// defers all tasks, and its current task has a child.
// CODE: $heddle.thread_offset = comdat any
// CODE: $heddle.nobody = comdat any
// CODE: @heddle.thread_offset = linkonce_odr hidden global i64 0, comdat
// CODE: @llvm.global_ctors = {{.*}} { i32 101, ptr @heddle.find_threads, ptr @heddle.thread_offset }
// CODE: @heddle.nobody = linkonce_odr hidden constant {{.*}} { ptr @heddle.nobody, ptr @heddle.nobody, [15 x i64] [i64 1, i64 0,

// The task itself is in no memory.
// CODE-LABEL: define {{.*}} @plain(
// CODE-NOT: %heddle.room = alloca
// CODE: %heddle.frame = alloca [24 x i8]
// A function looks for the thread once. No distance: another runtime. No thread: one that has not
// called the runtime yet. A stack that is used up: as if nobody were there.
// CODE: load i64, ptr @heddle.thread_offset
// CODE: %heddle.thread = select i1 %{{.*}}, ptr @heddle.nobody, ptr %heddle.state
// CODE: %[[DEEP:.*]] = icmp ugt ptr %heddle.stack
// CODE: %[[THREAD:.*]] = select i1 %[[DEEP]], ptr %heddle.thread, ptr @heddle.nobody
// CODE: load atomic i32, ptr %{{.*}} monotonic
// CODE: br i1 %{{.*}}, label %heddle.at_once, label %heddle.ordinary
// CODE: heddle.ordinary:
// CODE-NEXT: %[[TASK:.*]] = call ptr @heddle.allocate(ptr @heddle.construct, i32 0)
// CODE-NEXT: %[[PRIVATES:.*]] = getelementptr inbounds i8, ptr %[[TASK]], i64 40
// CODE-NEXT: store i32 %n, ptr %[[PRIVATES]]
// CODE: %[[SHAREDS:.*]] = load ptr, ptr %[[TASK]]
// CODE-NEXT: store ptr %result, ptr %[[SHAREDS]]
// CODE-NEXT: call void @heddle.submit(ptr @{{[0-9]+}}, ptr %[[TASK]])
// CODE-NEXT: br label %[[DONE:.*]]
// The body is inlined, in a frame of its own.
// CODE: heddle.at_once:
// CODE-NOT: @__kmpc
// CODE: store ptr %heddle.frame, ptr %[[THREAD]], align 8
// CODE-NOT: call i32
// CODE: call void @work(ptr noundef {{.*}}%result, i32 noundef %n)
// CODE: %heddle.parent = load ptr
// CODE: store ptr %heddle.parent, ptr %[[THREAD]]
// CODE: br i1 %{{.*}}, label %[[DONE]], label %heddle.leave, !prof
// CODE: heddle.leave:
// CODE-NEXT: call void @heddle_leave_children(
// CODE-NOT: @heddle.thread_offset
// CODE: br i1 %{{.*}}, label %[[WAITED:.*]], label %[[WAIT:.*]], !prof
// CODE: [[WAIT]]:
// CODE-NEXT: call void @heddle.wait(
// CODE: [[WAITED]]:
// CODE-NEXT: fence syncscope("singlethread") seq_cst

// Behind the early return, and in front of the loop; which has one task, however often it turns.
void several(int n) {
    if (n < 2)
        return;
    for (int i = 0; i < 3; ++i) {
#pragma omp task
        work(0, i);
    }
#pragma omp taskwait
}
// CODE-LABEL: define {{.*}} @several(
// CODE-NOT: @heddle.thread_offset
// CODE: icmp slt i32 %n, 2
// CODE: load i64, ptr @heddle.thread_offset
// CODE: %[[INHERITED:.*]] = and i64 %{{.*}}, -4
// CODE: store i64 %[[INHERITED]], ptr
// CODE-NOT: @heddle.thread_offset
// CODE: call void @heddle.submit(
// CODE-NOT: call void @heddle.submit(
// CODE-NOT: -4
// CODE: ret void

// Where something is called between constructs, what tasks inherit may change: a frame for each.
void loud(int n) {
#pragma omp task
    work(0, n);
    work(0, n);
#pragma omp task
    work(0, n);
}
// CODE-LABEL: define {{.*}} @loud(
// CODE: heddle.at_once:
// CODE: and i64 %{{.*}}, -4
// CODE: store ptr %[[FRAME:.*]], ptr %{{heddle.thread.*}}, align 8
// CODE-NOT: ptr %[[FRAME]], ptr %heddle.thread
// CODE: and i64 %{{.*}}, -4
// CODE: ret void

// CODE: declare extern_weak i64 @heddle_thread_offset_1()

// The ordinary form of all tasks, which the runtime's functions make.
// CODE-LABEL: define linkonce_odr hidden ptr @heddle.allocate(
// CODE: call i32 @__kmpc_global_thread_num(
// CODE: %[[ALLOCATED:.*]] = call ptr @__kmpc_omp_task_alloc(
// CODE: ret ptr %[[ALLOCATED]]
// CODE-LABEL: define linkonce_odr hidden void @heddle.submit(
// CODE: call i32 @__kmpc_omp_task(ptr %0, i32 %{{.*}}, ptr %1)
// CODE: declare extern_weak void @heddle_leave_children(ptr, ptr)
// CODE-NOT: declare {{.*}}@heddle.
