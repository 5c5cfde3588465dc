/* SPDX-License-Identifier: Apache-2.0
 * Objects whose copies count themselves, in every clause that copies, as clang compiles them; and
 * exceptions that are thrown and caught inside a construct. */
#include "check.h"

#include <stdexcept>
#include <vector>

namespace {

int alive = 0;

/// Knows whether it was copied bytewise, and how many there are.
class Counted {
public:
    Counted(int value = 0) : value_(value), self_(this) { count(1); }
    Counted(const Counted& other) : value_(other.value()), self_(this) { count(1); }
    ~Counted() {
        expect(self_ == this);
        self_ = nullptr;
        count(-1);
    }
    Counted& operator=(const Counted& other) {
        expect(self_ == this);
        value_ = other.value();
        return *this;
    }
    Counted& operator+=(const Counted& other) {
        value_ += other.value();
        return *this;
    }
    int value() const {
        expect(self_ == this);
        return value_;
    }

private:
    static void count(int more) {
#pragma omp atomic
        alive += more;
    }
    int value_;
    Counted* self_;
};

#pragma omp declare reduction(+ : Counted : omp_out += omp_in) initializer(omp_priv = Counted(0))
#pragma omp declare reduction(                                                                     \
        append : std::vector<int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))

void regions(int size) {
    Counted one(1), last(0), sum(5), array[3] = {1, 2, 3};
#pragma omp parallel num_threads(size) firstprivate(one, array) private(last)
    {
        expect(one.value() == 1 && array[2].value() == 3 && last.value() == 0);
        one = array[1] = Counted(omp_get_thread_num());
        Counted shared;
#pragma omp single copyprivate(shared)
        shared = Counted(17);
        expect(shared.value() == 17);
    }
    expect(one.value() == 1 && array[1].value() == 2);
#pragma omp parallel for num_threads(size) lastprivate(last, array) schedule(dynamic)              \
    reduction(+ : sum)
    for (int i = 0; i < 50; ++i) {
        last = Counted(i);
        array[2] = Counted(i + 1);
        sum += Counted(2);
    }
    expect(last.value() == 49 && array[2].value() == 50 && sum.value() == 105);
    std::vector<int> all;
#pragma omp parallel for num_threads(size) reduction(append : all)
    for (int i = 0; i < 100; ++i)
        all.push_back(i);
    expect(all.size() == 100);
#pragma omp parallel sections num_threads(size) lastprivate(last) firstprivate(one)
    {
#pragma omp section
        last = one;
#pragma omp section
        last = Counted(3);
    }
    expect(last.value() == 3);
#pragma omp teams distribute parallel for num_teams(2) num_threads(size) firstprivate(one)         \
    lastprivate(last)
    for (int i = 0; i < 20; ++i)
        last = Counted(one.value() + i);
    expect(last.value() == 20);
}

void tasks(int size) {
    Counted one(1), array[2] = {4, 5}, last, sum;
    int executed = 0;
#pragma omp parallel num_threads(size)
#pragma omp single
    {
        for (int i = 0; i < 30; ++i) {
#pragma omp task firstprivate(one, array) untied if (i % 3) final(i % 7 == 0)
            {
                expect(one.value() == 1 && array[1].value() == 5);
                one = Counted(7);
#pragma omp task firstprivate(one) shared(executed)
                {
                    expect(one.value() == 7);
#pragma omp atomic
                    ++executed;
                }
            }
        }
#pragma omp taskwait
#pragma omp taskloop firstprivate(one) lastprivate(last) grainsize(4)
        for (int i = 0; i < 33; ++i)
            last = Counted(one.value() + i);
        expect(last.value() == 33);
#pragma omp taskloop reduction(+ : sum) num_tasks(5)
        for (int i = 0; i < 20; ++i)
            sum += Counted(i);
        expect(sum.value() == 190);
#pragma omp taskgroup task_reduction(+ : sum)
        for (int i = 0; i < 10; ++i)
#pragma omp task in_reduction(+ : sum) firstprivate(one)
            sum += one;
        expect(sum.value() == 200);
#pragma omp task firstprivate(one) depend(out : one)
        one = Counted(2);
#pragma omp task firstprivate(one) depend(in : one)
        expect(one.value() == 1);
    }
    expect(executed == 30);
}

/// Cancelled tasks are destroyed as others are.
void cancelled_tasks(int size) {
    Counted one(1);
#pragma omp parallel num_threads(size)
#pragma omp single
#pragma omp taskgroup
    for (int i = 0; i < 50; ++i) {
#pragma omp task firstprivate(one, i)
        {
            expect(one.value() == 1);
            if (i == 10) {
#pragma omp cancel taskgroup
            }
        }
    }
}

void exceptions(int size) {
    int caught = 0;
#pragma omp parallel num_threads(size) reduction(+ : caught)
    {
        try {
            Counted local(1);
            throw std::runtime_error("in the region");
        } catch (const std::exception&) {
            ++caught;
        }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 20; ++i)
            try {
                if (i % 2)
                    throw i;
            } catch (int value) {
                caught += value == i;
            }
#pragma omp critical
        try {
            throw Counted(4);
        } catch (const Counted& object) {
            caught += object.value() == 4;
        }
#pragma omp task
        try {
#pragma omp parallel num_threads(2)
            try {
                throw 1L;
            } catch (long) {
            }
            throw 2;
        } catch (int value) {
            expect(value == 2);
        }
    }
    expect(caught == 2 * size + 10);
}

template <class Iterator>
long sum_of(Iterator begin, Iterator end, int size) {
    long sum = 0;
#pragma omp parallel for num_threads(size) reduction(+ : sum) schedule(guided)
    for (Iterator i = begin; i < end; i += 2)
        sum += *i;
    return sum;
}

struct Owner {
    int member = 3;
    long total = 0;
    void run(int size) {
        const auto twice = [this] { return 2 * member; };
#pragma omp parallel for num_threads(size) firstprivate(member) reduction(+ : total)
        for (int i = 0; i < 10; ++i)
            total += member + twice();
        expect(total == 90);
    }
};

void loops(int size) {
    std::vector<int> numbers(101, 1);
    expect(sum_of(numbers.begin(), numbers.end(), size) == 51);
    expect(sum_of(numbers.data(), numbers.data() + 101, size) == 51);
    long sum = 0;
#pragma omp parallel for num_threads(size) reduction(+ : sum)
    for (const int& number : numbers)
        sum += number;
    expect(sum == 101);
#pragma omp parallel for num_threads(size) schedule(dynamic, 4) lastprivate(sum)
    for (auto i = numbers.end() - 1; i >= numbers.begin() + 1; --i)
        sum = i - numbers.begin();
    expect(sum == 1);
    int& reference = numbers[0];
#pragma omp parallel num_threads(size) reduction(+ : reference)
    reference += 1;
    expect(numbers[0] == 1 + size);
    Owner().run(size);
}

} // namespace

int main() {
    omp_set_max_active_levels(2);
    FOR_TEAM_SIZES(size) {
        regions(size);
        expect(alive == 0);
        tasks(size);
        expect(alive == 0);
        cancelled_tasks(size);
        expect(alive == 0);
        exceptions(size);
        expect(alive == 0);
        loops(size);
    }
    return failures != 0;
}
