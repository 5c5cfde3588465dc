// SPDX-License-Identifier: Apache-2.0
// An untied task whose code is in one part begins with that: its frame says that it is untied. One
// that submits itself again in its middle goes the ordinary way.
void work(int n);

void one_part(int n) {
#pragma omp task untied
    work(n);
}
// CHECK-LABEL: define {{.*}} @one_part(
// CHECK: heddle.ordinary.heddle:
// CHECK: or i64 %{{.*}}, 1
// CHECK: %[[PART:.*]] = getelementptr inbounds i8, ptr %heddle.task, i64 16
// CHECK-NEXT: store i32 1, ptr %[[PART]]
// CHECK: call i32 @.omp_task_entry.(

void two_parts(int n) {
#pragma omp task untied
    {
#pragma omp taskyield
        work(n);
    }
}
// CHECK-LABEL: define {{.*}} @two_parts(
// CHECK-NOT: heddle.frame
// CHECK: call i32 @__kmpc_omp_task(
// CHECK: ret void
