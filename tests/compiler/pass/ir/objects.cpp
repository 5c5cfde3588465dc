// SPDX-License-Identifier: Apache-2.0
// Objects are made by their constructors where they stay, on this stack or in the runtime's memory,
// by one piece of code whose exceptions go where they went; and destroyed by the task's own function
// while the task is the current one.
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
// MARK-LABEL: define {{.*}} @_Z6copiesi(
// MARK: %[[TASK:.*]] = call ptr @heddle.memory(ptr @heddle.construct, ptr %heddle.room, ptr %heddle.shareds, i32 0)
// MARK: call void @heddle.run(ptr @heddle.construct, ptr %[[TASK]], ptr %heddle.room, i32 0)

// CODE-LABEL: define {{.*}} @_Z6copiesi(
// CODE: br i1 %{{.*}}, label %heddle.at_once, label %heddle.ordinary
// CODE: heddle.ordinary:
// CODE-NEXT: %[[ALLOCATED:.*]] = call ptr @heddle.allocate(ptr @heddle.construct, i32 0)
// CODE: heddle.at_once:
// CODE-NEXT: store ptr %heddle.shareds, ptr %heddle.room
// CODE: %heddle.place = phi ptr [ %heddle.room, %heddle.at_once ], [ %[[ALLOCATED]], %heddle.ordinary ]
// CODE: invoke void @_ZN6ObjectC1ERKS_(
// CODE-NEXT: to label %[[COPIED:.*]] unwind label %{{.*}}
// CODE: [[COPIED]]:
// CODE: store ptr @.omp_task_destructor., ptr
// CODE: icmp eq ptr %heddle.place, %heddle.room
// CODE: call void @heddle.submit(ptr @{{[0-9]+}}, ptr %heddle.place)
// CODE: store ptr %heddle.frame, ptr %
// CODE: call i32 @.omp_task_entry.({{.*}}, ptr %heddle.place)
// CODE: %[[DESTROY:.*]] = load ptr, ptr
// CODE: call i32 %[[DESTROY]](i32 %{{.*}}, ptr %heddle.place)
// CODE: %heddle.parent = load ptr
// CODE-NOT: _ZN6ObjectC1ERKS_
// CODE: ret void

void arrays(int n) {
    Object objects[3] = {n, n, n};
#pragma omp task firstprivate(objects)
    use(objects[1]);
}
// MARK-LABEL: define {{.*}} @_Z6arraysi(
// MARK: call ptr @heddle.memory(
// MARK: omp.arraycpy.body:
// MARK: call void @heddle.run(
// MARK: ret void

// Numbers can be moved: nothing but a constructor's address would tell where they were.
void numbers(double d) {
#pragma omp task firstprivate(d)
    use(Object(static_cast<int>(d)));
}
// MARK-LABEL: define {{.*}} @_Z7numbersd(
// MARK: call void @heddle.task(
// MARK: ret void
