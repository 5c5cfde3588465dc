// SPDX-License-Identifier: Apache-2.0
// Spawn, sync and reducers for C++17 and later, over the workers that OpenMP regions use as well:
// run() opens a region, spawn() creates a child task, sync() waits for the current task's children.
// For gcc and clang, with or without -fopenmp and -fno-exceptions; programs link with -lheddle.
// A task is run at once, inlined, unless a thread is hungry; docs/heddle-hpp.md. Form: Cilk.
#ifndef HEDDLE_HPP
#define HEDDLE_HPP

#include "heddle.h"

#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#if __cplusplus < 201703L
#error "heddle.hpp needs C++17 or later: -std=c++17"
#endif
#ifdef __cpp_exceptions
#define HEDDLE_EXCEPTIONS 1
#define HEDDLE_INLINE_NAMESPACE catching
#else
#define HEDDLE_EXCEPTIONS 0
#define HEDDLE_INLINE_NAMESPACE not_catching
#endif

namespace heddle {

namespace detail {

/// An exception that leaves a spawned task ends the program: nobody is there to take it.
template <class Task>
inline void call(Task& task) noexcept {
    static_cast<void>(std::move(task)());
}

/// The calling thread's, or nullptr. A function may come back from spawn() or sync() in another
/// thread that carries its task on. For AArch64 compilers keep the thread pointer over calls: there
/// it is read where they see none.
inline heddle_thread* this_thread() {
#ifdef __aarch64__
    const char* thread;
    __PTRDIFF_TYPE__ distance;
    __asm__ volatile("mrs %0, tpidr_el0" : "=r"(thread));
    __asm__("adrp %0, :gottprel:heddle_thread_1\n\tldr %0, [%0, :gottprel_lo12:heddle_thread_1]"
            : "=r"(distance));
    return *reinterpret_cast<heddle_thread* const*>(thread + distance);
#else
    return heddle_thread_1;
#endif
}

/// May the next task run at once, on a stack that has come down to `here`?
inline bool runs_at_once(const heddle_thread* thread, const void* here) {
    // Relaxed: a stale answer defers a task later or earlier, and nothing else.
    return __builtin_expect(
        thread != nullptr &&
            (thread->deferring | __atomic_load_n(&thread->wants_tasks, __ATOMIC_RELAXED)) == 0 &&
            static_cast<const char*>(here) > thread->stack_limit,
        true);
}

/// Hands the task over to the runtime: bytes by themselves, others in a box of their own.
template <class Task>
[[gnu::noinline]] void defer(Task& task) {
    if constexpr (std::is_trivially_copyable_v<Task> && std::is_trivially_destructible_v<Task>) {
        heddle_spawn([](void* data) { call(*static_cast<Task*>(data)); },
                     const_cast<std::remove_const_t<Task>*>(std::addressof(task)), sizeof(Task),
                     alignof(Task));
    } else {
        heddle_spawn_object(
            [](void* object) {
                const std::unique_ptr<Task> box(static_cast<Task*>(object));
                call(*box);
            },
            [](void* object) { delete static_cast<Task*>(object); }, new Task(std::move(task)));
    }
}

/// Creates the task, which is the callee's from now on.
template <class Task>
inline void spawn_own(Task& task) {
    heddle_thread* const thread = this_thread();
    heddle_frame frame;
    if (!runs_at_once(thread, &frame)) {
        if constexpr (std::is_trivially_copyable_v<Task>) {
            Task copy(task); // so that the task itself need not have an address
            defer(copy);
        } else {
            defer(task);
        }
        return;
    }
    heddle_frame* const parent = thread->current;
    frame.parent = parent;
    frame.children = nullptr;
    frame.inherited = parent->inherited & ~HEDDLE_NOT_INHERITED;
    thread->current = &frame;
    call(task);
    thread->current = parent;
    if (__builtin_expect(frame.children != nullptr, false))
        heddle_leave_children(thread, &frame);
}

// Files compiled with and without exceptions may meet in one program.
inline namespace HEDDLE_INLINE_NAMESPACE {

/// Calls function(); keep() gets an exception that leaves it.
template <class Function, class Keep>
inline void call_and_catch(Function&& function, const Keep& keep) {
#if HEDDLE_EXCEPTIONS
    try {
        function();
    } catch (...) {
        keep(std::current_exception());
    }
#else
    static_cast<void>(keep);
    function();
#endif
}

} // namespace HEDDLE_INLINE_NAMESPACE

} // namespace detail

/// Creates a child of the current task that calls `function` without arguments, once. A temporary
/// is moved from when the task has to wait, an object with a name is copied first. What is captured
/// by reference must live until sync(). An exception that leaves `function` calls std::terminate();
/// see scope. Throws what copying or moving throws, and std::bad_alloc.
template <class Function>
inline void spawn(Function&& function) {
    if constexpr (std::is_lvalue_reference_v<Function>) {
        std::decay_t<Function> copy(function);
        detail::spawn_own(copy);
    } else {
        detail::spawn_own(function);
    }
}

/// Waits until the children of the current task are complete; what they did is visible.
inline void sync() {
    const heddle_thread* const thread = detail::this_thread();
    if (thread != nullptr && __builtin_expect(thread->current->children != nullptr, false))
        heddle_sync();
}

inline namespace HEDDLE_INLINE_NAMESPACE {

/// Children whose exceptions the parent takes. The task that has a scope as a local variable spawns
/// through it and syncs; at the variable's end it waits in any case, so that children never outlive
/// what they refer to. Only that task may call it.
class scope {
public:
    scope() = default;
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

    /// Waits. Ends the program when an exception was never taken, unless another one is on its way.
    ~scope() {
        heddle::sync();
        if (failed_.load(std::memory_order_relaxed) && // sync() has made it visible
            std::uncaught_exceptions() == uncaught_before_)
            std::terminate();
    }

    /// As heddle::spawn(), but an exception that leaves `function` is kept, if it is the first.
    template <class Function>
    void spawn(Function&& function) {
        using Task = std::decay_t<Function>;
        heddle::spawn([this, task = Task(std::forward<Function>(function))]() mutable noexcept {
            detail::call_and_catch([&task] { static_cast<void>(std::move(task)()); },
                                   [this](std::exception_ptr thrown) { keep(std::move(thrown)); });
        });
    }

    /// heddle::sync(), then throws the exception that was kept.
    void sync() {
        heddle::sync();
        if (failed_.load(std::memory_order_relaxed)) { // as in ~scope()
            failed_.store(false, std::memory_order_relaxed);
            std::rethrow_exception(std::exchange(first_, nullptr));
        }
    }

private:
    void keep(std::exception_ptr exception) noexcept {
        // Relaxed: nobody reads what the winner writes before sync().
        if (!failed_.exchange(true, std::memory_order_relaxed))
            first_ = std::move(exception);
    }

    std::atomic<bool> failed_{false};
    const int uncaught_before_ = std::uncaught_exceptions();
    std::exception_ptr first_;
};

/// Calls `root` once, on this thread, with `threads` threads to run its tasks, and returns what it
/// returns when all tasks that come of it are complete. 0 threads: as many as OpenMP's nthreads-var
/// says; or those of the region, where there is one. Throws what `root` throws, after the tasks are
/// complete.
template <class Root>
auto run(int threads, Root&& root) -> std::invoke_result_t<Root&> {
    using Result = std::invoke_result_t<Root&>;
    static_assert(!std::is_reference_v<Result>, "heddle::run: return a value or a pointer");
    constexpr bool returns = !std::is_void_v<Result>;
    struct Call {
        std::remove_reference_t<Root>& root;
        std::optional<std::conditional_t<returns, Result, char>> result;
        std::exception_ptr exception;

        void operator()() {
            if constexpr (returns)
                result.emplace(root());
            else
                root();
        }
    };
    Call call{root, std::nullopt, nullptr};
    heddle_run(
        [](void* data) {
            Call& called = *static_cast<Call*>(data);
            detail::call_and_catch(called, [&called](std::exception_ptr thrown) {
                called.exception = std::move(thrown);
            });
        },
        &call, threads);
    if (call.exception)
        std::rethrow_exception(std::move(call.exception));
    if constexpr (returns)
        return std::move(*call.result);
}

template <class Root>
auto run(Root&& root) -> std::invoke_result_t<Root&> {
    return heddle::run(0, root);
}

} // namespace HEDDLE_INLINE_NAMESPACE

// Operations of reducers: associative, commutative, with an identity. Others have the same two
// functions.

template <class T>
struct op_add {
    static T identity() { return T{}; }
    static void combine(T& into, const T& value) { into += value; }
};
template <class T>
struct op_mul {
    static T identity() { return T{1}; }
    static void combine(T& into, const T& value) { into *= value; }
};
template <class T>
struct op_min {
    static T identity() {
        using limits = std::numeric_limits<T>;
        return limits::has_infinity ? limits::infinity() : limits::max();
    }
    static void combine(T& into, const T& value) {
        if (value < into)
            into = value;
    }
};
template <class T>
struct op_max {
    static T identity() {
        using limits = std::numeric_limits<T>;
        return limits::has_infinity ? static_cast<T>(-limits::infinity()) : limits::lowest();
    }
    static void combine(T& into, const T& value) {
        if (into < value)
            into = value;
    }
};
/// Bitwise; of bool, logical.
template <class T>
struct op_and {
    static T identity() {
        if constexpr (std::is_same_v<T, bool>)
            return true;
        else
            return static_cast<T>(~T{});
    }
    static void combine(T& into, const T& value) { into = static_cast<T>(into & value); }
};
template <class T>
struct op_or {
    static T identity() { return T{}; }
    static void combine(T& into, const T& value) { into = static_cast<T>(into | value); }
};
template <class T>
struct op_xor {
    static T identity() { return T{}; }
    static void combine(T& into, const T& value) { into = static_cast<T>(into ^ value); }
};

/// A variable that many tasks combine values into. Each worker has a view of its own, which begins
/// as the identity, so an update takes no lock; value() combines the views. Unlike a reducer of
/// Cilk it does not keep the serial order: Operation must be commutative too, and must not spawn or
/// sync.
template <class T, class Operation = op_add<T>>
class reducer {
public:
    reducer() = default;
    reducer(const reducer&) = delete;
    reducer& operator=(const reducer&) = delete;
    ~reducer() {
        for (auto& block : more_)
            delete[] block.load(std::memory_order_relaxed); // no task uses the reducer any more
    }

    /// The view of the executing worker. The reference is good until the task's next spawn or sync:
    /// tasks that run meanwhile change the view, and one that goes on by itself must not lose that.
    T& view() {
        const auto number = static_cast<unsigned>(heddle_worker_number());
        return number < first_views ? first_[number].value : later_view(number);
    }

    /// Combines `value` into the view.
    void update(const T& value) { Operation::combine(view(), value); }
    reducer& operator+=(const T& value) {
        static_assert(std::is_same_v<Operation, op_add<T>>, "+= is for op_add; call update()");
        update(value);
        return *this;
    }

    /// All views combined. Tasks that update the reducer are complete, and known to be: by sync(),
    /// if they are children of this task, or by the end of run().
    T value() const {
        T result = Operation::identity();
        for (const view_of_worker& view : first_)
            Operation::combine(result, view.value);
        for (unsigned block = 0; block < blocks; ++block)
            // acquire: pairs with later_view(), though mostly sync() was in between
            if (const view_of_worker* views = more_[block].load(std::memory_order_acquire))
                for (unsigned i = 0; i < size_of(block); ++i)
                    Operation::combine(result, views[i].value);
        return result;
    }

    /// value(), and all views begin anew. As value(), with no task that updates.
    T take() {
        T result = value();
        for (view_of_worker& view : first_)
            view.value = Operation::identity();
        for (unsigned block = 0; block < blocks; ++block)
            if (view_of_worker* views =
                    more_[block].load(std::memory_order_acquire)) // as in value()
                for (unsigned i = 0; i < size_of(block); ++i)
                    views[i].value = Operation::identity();
        return result;
    }

private:
    struct alignas(64) view_of_worker { // a cache line or more each
        T value = Operation::identity();
    };
    static constexpr unsigned first_views = 16, blocks = 27;

    /// Block b holds the views of the workers from 16 * 2^b to twice that.
    static constexpr unsigned size_of(unsigned block) { return first_views << block; }

    [[gnu::noinline]] T& later_view(unsigned number) {
        const unsigned block = 27 - static_cast<unsigned>(__builtin_clz(number));
        std::atomic<view_of_worker*>& place = more_[block];
        view_of_worker* views = place.load(std::memory_order_acquire); // pairs with the exchange
        if (!views) {
            auto fresh = std::make_unique<view_of_worker[]>(size_of(block));
            // Releases the identities to other workers of the block; acquires them if they were
            // first.
            if (place.compare_exchange_strong(views, fresh.get(), std::memory_order_acq_rel,
                                              std::memory_order_acquire))
                views = fresh.release();
        }
        return views[number - size_of(block)].value;
    }

    view_of_worker first_[first_views];
    std::atomic<view_of_worker*> more_[blocks] = {};
};

} // namespace heddle

#undef HEDDLE_INLINE_NAMESPACE
#endif
