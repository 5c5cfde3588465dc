// SPDX-License-Identifier: Apache-2.0
// A recursive descent through the place grammar; the names of the functions are the grammar's.
// Called by one thread while the settings or the places are determined; keeps nothing.
// As with libgomp, the exclusions in a place count after all its other CPUs, while the exclusion of
// a place removes the first equal one that stands before it.
#include "config/places.hpp"

#include "config/scanner.hpp"

namespace heddle::config {

namespace {

/// A number from `low` to `high`.
bool bounded(Scanner& scanner, int low, int high, int& result) {
    uint64_t number;
    if (!scanner.number(number) || number < static_cast<uint64_t>(low) ||
        number > static_cast<uint64_t>(high))
        return false;
    result = static_cast<int>(number);
    return true;
}

bool cpu_number(Scanner& scanner, int& cpu) {
    return bounded(scanner, 0, CpuSet::capacity - 1, cpu);
}

/// What may follow a CPU or a place: `:length`, `:length:stride`, or nothing, which is `:1:1`.
bool interval(Scanner& scanner, int& length, int& stride) {
    length = stride = 1;
    if (!scanner.take(':'))
        return true;
    if (!bounded(scanner, 1, CpuSet::capacity, length))
        return false;
    if (!scanner.take(':'))
        return true;
    const bool negative = scanner.take('-');
    if (!bounded(scanner, 0, CpuSet::capacity - 1, stride))
        return false;
    stride = negative ? -stride : stride;
    return true;
}

bool is_cpu(int64_t number) { return number >= 0 && number < CpuSet::capacity; }

/// `cpu`, `cpu:length` or `cpu:length:stride`, into `place`.
bool res_interval(Scanner& scanner, CpuSet& place) {
    int cpu, length, stride;
    if (!cpu_number(scanner, cpu) || !interval(scanner, length, stride))
        return false;
    for (int64_t i = 0, number = cpu; i < length; ++i, number += stride) {
        if (!is_cpu(number))
            return false;
        place.add(static_cast<int>(number));
    }
    return true;
}

/// `{res-list}`, or one CPU without braces.
bool place_of(Scanner& scanner, CpuSet& place) {
    if (!scanner.take('{')) {
        int cpu;
        if (!cpu_number(scanner, cpu))
            return false;
        place.add(cpu);
        return true;
    }
    CpuSet excluded;
    do {
        int cpu;
        if (!scanner.take('!')) {
            if (!res_interval(scanner, place))
                return false;
        } else if (cpu_number(scanner, cpu)) {
            excluded.add(cpu);
        } else {
            return false;
        }
    } while (scanner.take(','));
    if (!scanner.take('}') || !excluded.within(place))
        return false;
    place.remove(excluded);
    return true;
}

/// `place` with `distance` added to each CPU number; false when one leaves the range.
bool shifted(const CpuSet& place, int64_t distance, CpuSet& result) {
    for (int cpu = place.next(0); cpu >= 0; cpu = place.next(cpu + 1)) {
        if (!is_cpu(cpu + distance))
            return false;
        result.add(static_cast<int>(cpu + distance));
    }
    return true;
}

bool exclude(const CpuSet& place, PlaceList& list) {
    for (int i = 0; i < list.count(); ++i)
        if (list[i] == place) {
            list.remove(i);
            return true;
        }
    return false;
}

bool p_interval(Scanner& scanner, PlaceList& list) {
    const bool excluded = scanner.take('!');
    CpuSet place;
    if (!place_of(scanner, place))
        return false;
    if (excluded)
        return exclude(place, list);
    int length, stride;
    if (!interval(scanner, length, stride))
        return false;
    for (int64_t i = 0; i < length; ++i) {
        CpuSet next;
        if (!shifted(place, i * stride, next) || !list.add(next))
            return false;
    }
    return true;
}

bool p_list(Scanner& scanner, PlaceList& list) {
    do {
        if (!p_interval(scanner, list))
            return false;
    } while (scanner.take(','));
    return scanner.at_end() && list.count() > 0;
}

bool unit_named(std::string_view word, PlaceUnit& unit) {
    static constexpr struct {
        std::string_view name;
        PlaceUnit unit;
    } units[] = {{"threads", PlaceUnit::threads},
                 {"cores", PlaceUnit::cores},
                 {"ll_caches", PlaceUnit::ll_caches},
                 {"numa_domains", PlaceUnit::numa_domains},
                 {"sockets", PlaceUnit::sockets}};
    for (const auto& entry : units)
        if (same_word(word, entry.name)) {
            unit = entry.unit;
            return true;
        }
    return false;
}

/// What follows an abstract name: nothing or `(count)`.
bool count_of_units(Scanner& scanner, int& limit) {
    if (!scanner.take('('))
        return scanner.at_end();
    uint64_t count;
    if (!scanner.number(count) || count == 0 || !scanner.take(')') || !scanner.at_end())
        return false;
    limit = count < PlaceList::longest ? static_cast<int>(count) : PlaceList::longest;
    return true;
}

} // namespace

bool parse_places(std::string_view text, PlaceRequest& request, PlaceList& list) {
    Scanner scanner(text);
    const std::string_view word = scanner.word();
    request = {};
    if (!word.empty())
        return unit_named(word, request.unit) && count_of_units(scanner, request.limit);
    request.unit = PlaceUnit::listed;
    return p_list(scanner, list);
}

bool parse_cpu_affinity(std::string_view text, PlaceList& list) {
    Scanner scanner(text);
    do {
        int first_cpu, last_cpu, stride = 1;
        if (!cpu_number(scanner, first_cpu))
            return false;
        last_cpu = first_cpu;
        if (scanner.take('-')) {
            if (!bounded(scanner, first_cpu, CpuSet::capacity - 1, last_cpu))
                return false;
            if (scanner.take(':') && !bounded(scanner, 1, CpuSet::capacity - 1, stride))
                return false;
        }
        for (int cpu = first_cpu; cpu <= last_cpu; cpu += stride) {
            CpuSet place;
            place.add(cpu);
            if (!list.add(place))
                return false;
        }
    } while (scanner.take(',') || !scanner.at_end());
    return true;
}

} // namespace heddle::config
