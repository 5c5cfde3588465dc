// SPDX-License-Identifier: Apache-2.0
// Everything that is not plain goes the ordinary way.
// MARK-NOT: @heddle.{{(task|memory|run)}}(
// CODE-NOT: heddle.frame
typedef unsigned long omp_event_handle_t;
void work(int n);

void with_depend(int n, int* place) {
#pragma omp task depend(inout : place[0])
    work(n);
}
void with_priority(int n) {
#pragma omp task priority(n)
    work(n);
}
void with_detach(int n) {
    omp_event_handle_t event = 0;
#pragma omp task detach(event)
    work(n);
}
void with_affinity(int n, int* place) {
#pragma omp task affinity(place[0])
    work(n);
}
void always_final(int n) {
#pragma omp task final(1)
    work(n);
}
void loop(int n) {
#pragma omp taskloop
    for (int i = 0; i < n; ++i)
        work(i);
}
struct large {
    char bytes[2000];
};
void use(struct large* data);
void with_large_data(struct large data) {
#pragma omp task firstprivate(data)
    use(&data);
}
__attribute__((minsize)) void for_size(int n) {
#pragma omp task
    work(n);
}
