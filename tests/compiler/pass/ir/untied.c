// SPDX-License-Identifier: Apache-2.0
// An untied task whose code is in one part begins with that: its frame says that it is untied. One
// that submits itself again in its middle goes the ordinary way.
void work(int n);

void one_part(int n) {
#pragma omp task untied
    work(n);
}
// MARK-LABEL: define {{.*}} @one_part(
// MARK: call void @heddle.task(
// CODE-LABEL: define {{.*}} @one_part(
// CODE: or i64 %{{.*}}, 1
// CODE: heddle.at_once:
// CODE-NOT: switch
// CODE-NOT: @__kmpc_omp_task(
// CODE: call void @work(i32 noundef %n)
// CODE: ret void

void two_parts(int n) {
#pragma omp task untied
    {
#pragma omp taskyield
        work(n);
    }
}
// MARK-LABEL: define {{.*}} @two_parts(
// MARK-NOT: call {{.*}}@heddle.
// MARK: call i32 @__kmpc_omp_task(
// MARK: ret void
// CODE-LABEL: define {{.*}} @two_parts(
// CODE-NOT: heddle.frame
// CODE: call i32 @__kmpc_omp_task(
// CODE: ret void
