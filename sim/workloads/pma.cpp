// SPDX-License-Identifier: Apache-2.0
// The loop of the adaptive loops paper's section 5.4 over a Packed Memory Array: elements are
// looked at one after another, those that move are copied to a dense array, each thread's to a part
// of its own, a page at a time. Most elements that move lie in one part of the space. How many and
// where is assumed, and an element's size: the paper has them from a fluid simulation.
#include "workloads/data.hpp"
#include "workloads/schedule.hpp"

#include <vector>

namespace heddle::sim {

namespace {

constexpr size_t element = 64; // bytes
constexpr int64_t stride = 8;  // elements that the processor fetches together when it reads on

/// 80 % of the elements in a fifth of the array move, 2 % of the others.
bool moves(int64_t i, int64_t n) {
    const int64_t percent = i >= n / 4 && i < n / 4 + n / 5 ? 80 : 2;
    return static_cast<int64_t>(mixed(static_cast<uint64_t>(i)) % 100) < percent;
}

struct alignas(64) Own {
    int64_t previous = -2; // the element looked at before
    Traffic traffic, copied;
    int64_t looked_at = 0, moved = 0;
};

constexpr int64_t elements_in_page = Pages::page_bytes / element;

/// A thread's part of the dense array: pages that it touches first, used again and again.
class Dense {
public:
    explicit Dense(int threads)
        : threads_(threads),
          array_(static_cast<size_t>(threads) * pages * Pages::page_bytes, Placement::touch) {}

    /// The thread has copied its `count`th element: the pages fill one after another.
    void copy(int thread, int64_t count, Traffic& traffic) const {
        if (count % elements_in_page != 0)
            return;
        const auto page = static_cast<size_t>(count / elements_in_page) % pages;
        array_.use((static_cast<size_t>(thread) * pages + page) * Pages::page_bytes,
                   Pages::page_bytes, traffic);
    }
    void touch() const {
#pragma omp parallel num_threads(threads_)
        {
            Traffic unused;
            for (size_t page = 0; page < pages; ++page)
                copy(omp_get_thread_num(), static_cast<int64_t>(page) * elements_in_page, unused);
        }
    }

private:
    static constexpr size_t pages = 64; // more than a processor of these years has in its own cache
    int threads_;
    Array array_;
};

Outcome run(Parameters& parameters, int threads) {
    const int64_t n = parameters.integer("elements", 2900000, 1, 1 << 28);
    const auto look = static_cast<uint64_t>(parameters.integer("look_cycles", 20, 0, 1000000));
    const auto move = static_cast<uint64_t>(parameters.integer("move_cycles", 150, 0, 1000000));
    const Placement placement = choose_placement(parameters, "memory");
    choose_schedule(parameters);
    parameters.refuse_unknown();
    int64_t expected = 0;
    for (int64_t i = 0; i < n; ++i)
        expected += moves(i, n);
    start_team(); // bound, so that memory can be placed where they are
    const Array array(static_cast<size_t>(n) * element, placement);
    std::vector<Own> all(static_cast<size_t>(threads));
    const Dense dense(threads);
    dense.touch();
    if (placement == Placement::block)
        heddle_loop_data(array.at(0), element);
    Outcome outcome;
    outcome.seconds = timed([&] {
#pragma omp parallel
        {
            Own& own = all[static_cast<size_t>(omp_get_thread_num())];
#pragma omp for schedule(runtime)
            for (int64_t i = 0; i < n; ++i) {
                const auto at = static_cast<size_t>(i) * element;
                if (i % stride == 0 && own.previous == i - 1)
                    array.use(at, element * static_cast<size_t>(std::min(stride, n - i)),
                              own.traffic);
                else if (own.previous != i - 1)
                    array.use(at, element, own.traffic);
                own.previous = i;
                const bool is_moving = moves(i, n);
                charge_cycles(is_moving ? look + move : look);
                ++own.looked_at;
                if (is_moving)
                    dense.copy(omp_get_thread_num(), ++own.moved, own.copied);
            }
        }
    });
    Traffic traffic;
    int64_t looked_at = 0, moved = 0;
    for (const Own& own : all) {
        traffic.all += own.traffic.all;
        traffic.remote += own.traffic.remote;
        looked_at += own.looked_at;
        moved += own.moved;
    }
    outcome.checked = looked_at == n && moved == expected;
    outcome.answer = std::to_string(moved);
    outcome.figures["remote_share"] = traffic.remote_share();
    return outcome;
}

const Registration registration{
    "pma",
    "a loop over a Packed Memory Array: elements, memory, schedule, chunk, look_cycles, "
    "move_cycles",
    run};

} // namespace

} // namespace heddle::sim
