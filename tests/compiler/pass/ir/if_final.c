// SPDX-License-Identifier: Apache-2.0
// if and final clauses: a false if clause makes no difference to a task that runs at once; a final
// one goes the ordinary way, where the optimizer must not mix its omp_in_final() with the parent's.
void work(int n);

void with_clauses(int n) {
#pragma omp task if (n > 3) final(n > 5)
    work(n);
}
// CHECK-LABEL: define {{.*}} @with_clauses(
// CHECK: %heddle.thread = select
// CHECK: and i32 %[[FLAGS:.*]], 2
// CHECK: heddle.ordinary:
// CHECK: call ptr @__kmpc_omp_task_alloc(ptr @{{.*}}, i32 %heddle.number{{.*}}, i32 %[[FLAGS]],
// CHECK: call void @__kmpc_omp_task_begin_if0(
// CHECK: call i32 @.omp_task_entry.(i32 %heddle.number{{.*}}, ptr %{{.*}}) #[[ALONE:[0-9]+]]
// CHECK: call void @__kmpc_omp_task_complete_if0(
// CHECK: heddle.ordinary.heddle:
// CHECK-NOT: if0
// CHECK: call i32 @.omp_task_entry.({{.*}}, ptr %heddle.task)
// CHECK-NOT: if0
// CHECK: call i32 @.omp_task_entry.({{.*}}, ptr %heddle.task)
// CHECK: attributes #[[ALONE]] = { noinline
