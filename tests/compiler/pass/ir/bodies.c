// SPDX-License-Identifier: Apache-2.0
// Small bodies are inlined where they are called, and so are bodies within them; large ones, and a
// body within itself, are called with the task on this stack.
void work(int n);

void nested(int n) {
#pragma omp task
    {
#pragma omp task
        work(n);
    }
}
// A task within a task is marked where it is, in the body of the first.
// MARK-LABEL: define {{.*}} @nested(
// MARK: call void @heddle.task(
// MARK-NOT: @heddle.task(
// MARK: ret void
// CODE-LABEL: define {{.*}} @nested(
// CODE: heddle.at_once:
// CODE-NOT: call i32 @.omp_task_entry.
// CODE: call void @work(i32 noundef %n)
// CODE: ret void

static void again(int n) {
#pragma omp task if (n > 1)
    if (n)
        again(n - 1);
}
void recursive(int n) { again(n); }
// CODE-LABEL: define {{.*}} @recursive(
// CODE: call {{.*}}@again(
// CODE-LABEL: define internal {{.*}} @again(
// CODE-NOT: call i32 @.omp_task_entry.
// CODE: call {{.*}}@again(
// CODE: ret void

#define FOUR(statement) statement; statement; statement; statement
void large(int n) {
#pragma omp task
    {
        FOUR(FOUR(work(n)));
    }
}
// CODE-LABEL: define {{.*}} @large(
// CODE: heddle.at_once:
// CODE-NOT: call void @work(
// CODE: call i32 @.omp_task_entry.{{.*}}, ptr %heddle.room)
// CODE: ret void
