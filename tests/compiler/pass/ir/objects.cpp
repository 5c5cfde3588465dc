// SPDX-License-Identifier: Apache-2.0
// Objects are copied by their constructors in both forms, whose exceptions go where they went, and
// destroyed by the task's own function while the task is the current one.
struct Object {
    int value;
    Object(int);
    Object(const Object&);
    ~Object();
};
void use(const Object&);

void copies(int n) {
    Object object(n);
#pragma omp task firstprivate(object)
    use(object);
}
// CHECK-LABEL: define {{.*}} @_Z6copiesi(
// CHECK: heddle.ordinary:
// CHECK: invoke void @_ZN6ObjectC1ERKS_(
// CHECK-NEXT: to label %{{.*}} unwind label %[[PAD:.*]]
// CHECK: [[PAD]]: ; preds = %heddle.ordinary.heddle, %heddle.ordinary
// CHECK: heddle.ordinary.heddle:
// CHECK: invoke void @_ZN6ObjectC1ERKS_(
// CHECK-NEXT: to label %[[COPIED:.*]] unwind label %[[PAD]]
// CHECK: [[COPIED]]:
// CHECK: store ptr @.omp_task_destructor., ptr
// CHECK: call i32 @.omp_task_entry.(
// CHECK: %[[DESTROY:.*]] = load ptr, ptr
// CHECK: call i32 %[[DESTROY]](i32 %{{.*}}, ptr %heddle.task)
// CHECK: %heddle.parent = load ptr

void arrays(int n) {
    Object objects[3] = {n, n, n};
#pragma omp task firstprivate(objects)
    use(objects[1]);
}
// CHECK-LABEL: define {{.*}} @_Z6arraysi(
// CHECK: heddle.ordinary.heddle:
// CHECK-DAG: omp.arraycpy.body.heddle:
// CHECK-DAG: call i32 @.omp_task_entry.{{.*}}, ptr %heddle.task)
// CHECK: ret void
