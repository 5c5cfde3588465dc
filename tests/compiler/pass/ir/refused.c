// SPDX-License-Identifier: Apache-2.0
// Bodies that there must not be two of are called: what they hold is in the entry alone.
__attribute__((noduplicate)) void once(int n);
void work(int n);

void label(int n) {
#pragma omp task
    {
        __asm__ volatile("heddle_test_label:" ::: "memory");
        work(n);
    }
}
// MARK-LABEL: define {{.*}} @label(
// MARK: call void @heddle.task(
// CODE-LABEL: define {{.*}} @label(
// CODE: heddle.at_once:
// CODE: call i32 @.omp_task_entry.{{.*}}, ptr %heddle.room)
// CODE-NOT: call void asm
// CODE: ret void

void unique(int n) {
#pragma omp task
    once(n);
}
// CODE-LABEL: define {{.*}} @unique(
// CODE: heddle.at_once:
// CODE: call i32 @.omp_task_entry.{{.*}}, ptr %heddle.room)
// CODE-NOT: call void @once(
// CODE: ret void

// The colon of an operand is no label.
void operand(int n) {
#pragma omp task
    {
#ifdef __x86_64__
        __asm__ volatile("# %k0" ::"r"(n));
#else
        __asm__ volatile("// %w0" ::"r"(n));
#endif
        work(n);
    }
}
// CODE-LABEL: define {{.*}} @operand(
// CODE: heddle.at_once:
// CODE-NOT: call i32 @.omp_task_entry.
// CODE: call void asm {{.*}}${0:
// CODE: call void @work(
// CODE: ret void
