// SPDX-License-Identifier: Apache-2.0
// A task with captures has both forms; taskwait is called only if there is a child.
void work(int* result, int n);

void plain(int n) {
    int result;
#pragma omp task shared(result) firstprivate(n)
    work(&result, n);
#pragma omp taskwait
}
// The distance to the thread's state has a constructor of its own, once in a program. Nobody's state
// defers all tasks, and its current task has a child.
// CHECK: $heddle.thread_offset = comdat any
// CHECK: $heddle.nobody = comdat any
// CHECK: @heddle.thread_offset = linkonce_odr hidden global i64 0, comdat
// CHECK: @llvm.global_ctors = {{.*}} { i32 101, ptr @heddle.find_threads, ptr @heddle.thread_offset }
// CHECK: @heddle.nobody = linkonce_odr hidden constant {{.*}} { ptr @heddle.nobody, ptr @heddle.nobody, [15 x i64] [i64 1, i64 0,

// CHECK-LABEL: define {{.*}} @plain(
// CHECK-DAG: %heddle.shareds = alloca [8 x i8]
// CHECK-DAG: %heddle.task = alloca [48 x i8], align 16
// CHECK-DAG: %heddle.frame = alloca [24 x i8]
// A function looks for the thread once. No distance: another runtime. No thread: one that has not
// called the runtime yet.
// CHECK: load i64, ptr @heddle.thread_offset
// CHECK: %heddle.thread = select i1 %{{.*}}, ptr @heddle.nobody, ptr %heddle.state
// CHECK: load atomic i32, ptr %{{.*}} monotonic
// CHECK: br i1 %{{.*}}, label %heddle.content, label %heddle.ordinary
// CHECK: heddle.ordinary:
// CHECK-NEXT: call i32 @heddle.thread_number()
// CHECK-NEXT: call ptr @__kmpc_omp_task_alloc(
// CHECK: call i32 @__kmpc_omp_task(
// CHECK-NOT: @heddle.thread_offset
// CHECK: br i1 %{{.*}}, label %[[WAITED:.*]], label %heddle.wait
// CHECK: heddle.wait:
// CHECK-NEXT: call i32 @heddle.thread_number()
// CHECK-NEXT: call i32 @__kmpc_omp_taskwait(
// CHECK: [[WAITED]]:
// CHECK-NEXT: fence syncscope("singlethread") seq_cst
// CHECK: heddle.content:
// CHECK: icmp ugt ptr %heddle.frame
// CHECK: br i1 %{{.*}}, label %heddle.ordinary.heddle, label %heddle.ordinary
// The same stores as in the ordinary form, to the stack.
// CHECK: heddle.ordinary.heddle:
// CHECK-NOT: @__kmpc_omp_task
// CHECK: store ptr %heddle.shareds
// CHECK: call void @llvm.memcpy
// CHECK: store ptr %heddle.frame, ptr %[[CURRENT:.*]], align 8
// CHECK: call i32 @.omp_task_entry.(i32 %{{.*}}, ptr %heddle.task)
// CHECK: %heddle.parent = load ptr
// CHECK: store ptr %heddle.parent, ptr %
// CHECK: br i1 %{{.*}}, label %[[LEAVE:.*]], label %[[DONE:.*]], !prof
// CHECK: [[LEAVE]]:
// CHECK-NEXT: call void @heddle_leave_children(

// Behind the early return, and in front of the loop.
void several(int n) {
    if (n < 2)
        return;
    for (int i = 0; i < n; ++i) {
#pragma omp task
        work(0, i);
    }
#pragma omp taskwait
}
// CHECK-LABEL: define {{.*}} @several(
// CHECK-NOT: @heddle.thread_offset
// CHECK: if.end:
// CHECK: load i64, ptr @heddle.thread_offset
// CHECK: for.cond:
// CHECK-NOT: @heddle.thread_offset
// CHECK: ret void

// CHECK: declare extern_weak i64 @heddle_thread_offset_1()
// CHECK: declare extern_weak void @heddle_leave_children(ptr, ptr)
// CHECK-NOT: norecurse
