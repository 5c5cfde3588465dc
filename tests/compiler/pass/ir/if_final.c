// SPDX-License-Identifier: Apache-2.0
// if and final clauses: a false if clause makes no difference to a task that runs at once, so that
// its two ends are one mark; a final one goes the ordinary way, where omp_in_final() is true.
void work(int n);

void with_clauses(int n) {
#pragma omp task if (n > 3) final(n > 5)
    work(n);
}
// MARK-LABEL: define {{.*}} @with_clauses(
// MARK: %[[FINAL:.*]] = and i32 %{{.*}}, 2
// MARK: %[[IF:.*]] = icmp sgt i32 %{{.*}}, 3
// MARK: %[[UNDEFERRED:.*]] = select i1 %[[IF]], i32 0, i32 1
// MARK: call void @heddle.task({{.*}}, i32 %[[FINAL]], i32 %[[UNDEFERRED]])
// MARK-NOT: @heddle.task(
// MARK-NOT: if0
// MARK-NOT: call i32 @.omp_task_entry.(
// MARK: ret void

// CODE-LABEL: define {{.*}} @with_clauses(
// CODE: %[[FINAL:.*]] = select i1 %{{.*}}, i32 2, i32 0
// CODE: %[[UNDEFERRED:.*]] = zext i1 %{{.*}} to i32
// CODE: %[[REASONS:.*]] = or i32 %{{.*}}, %[[FINAL]]
// CODE: %[[NONE:.*]] = icmp eq i32 %[[REASONS]], 0
// CODE: br i1 %[[NONE]], label %heddle.at_once, label %heddle.ordinary
// CODE: call ptr @heddle.allocate(ptr @heddle.construct, i32 %[[FINAL]])
// CODE: call void @heddle.submit_if({{.*}}, i32 %[[UNDEFERRED]])
// CODE: heddle.at_once:
// CODE-NOT: if0
// CODE: call void @work(i32 noundef %n)
// CODE: ret void

// An untied task's two ends are one mark, too.
void untied_with_clause(int n) {
#pragma omp task untied if (n > 3)
    work(n);
}
// MARK-LABEL: define {{.*}} @untied_with_clause(
// MARK: call void @heddle.task(
// MARK-NOT: @heddle.task(
// MARK: ret void

// CODE-LABEL: define linkonce_odr hidden void @heddle.submit_if(
// CODE: call i32 @__kmpc_omp_task({{.*}}, ptr %1)
// CODE: call void @__kmpc_omp_task_begin_if0({{.*}}, ptr %1)
// CODE: call i32 %{{.*}}(i32 %{{.*}}, ptr %1)
// CODE: call void @__kmpc_omp_task_complete_if0({{.*}}, ptr %1)
