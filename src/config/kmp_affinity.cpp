// SPDX-License-Identifier: Apache-2.0
// One pass over the text for each grammar; letter case and blanks do not count.
// Called by one thread while the settings or the places are determined; keeps nothing.
// Source: the "KMP_AFFINITY" and "KMP_HW_SUBSET" sections of the LLVM OpenMP runtime's manual.
#include "config/kmp_affinity.hpp"

#include "config/scanner.hpp"

#include <algorithm>
#include <climits>

namespace heddle::config {

namespace {

struct UnitName {
    std::string_view name;
    PlaceUnit unit;
};

/// The first name of each unit is the one that is shown. What Linux does not tell counts as the
/// unit around it that it does.
constexpr UnitName granularities[] = {
    {"thread", PlaceUnit::threads},     {"core", PlaceUnit::cores},
    {"ll_cache", PlaceUnit::ll_caches}, {"numa_domain", PlaceUnit::numa_domains},
    {"socket", PlaceUnit::sockets},     {"fine", PlaceUnit::threads},
    {"l1_cache", PlaceUnit::cores},     {"l2_cache", PlaceUnit::cores},
    {"tile", PlaceUnit::cores},         {"module", PlaceUnit::cores},
    {"l3_cache", PlaceUnit::ll_caches}, {"node", PlaceUnit::numa_domains},
    {"die", PlaceUnit::sockets},        {"package", PlaceUnit::sockets},
    {"group", PlaceUnit::sockets}};

/// The long names may end with an s.
constexpr UnitName layers[] = {
    {"s", PlaceUnit::sockets},          {"socket", PlaceUnit::sockets},
    {"n", PlaceUnit::numa_domains},     {"numa_domain", PlaceUnit::numa_domains},
    {"node", PlaceUnit::numa_domains},  {"l3", PlaceUnit::ll_caches},
    {"l3_cache", PlaceUnit::ll_caches}, {"ll", PlaceUnit::ll_caches},
    {"ll_cache", PlaceUnit::ll_caches}, {"c", PlaceUnit::cores},
    {"core", PlaceUnit::cores},         {"t", PlaceUnit::threads},
    {"thread", PlaceUnit::threads}};

constexpr struct {
    std::string_view name;
    AffinityType type;
} types[] = {{"none", AffinityType::none},          {"compact", AffinityType::compact},
             {"scatter", AffinityType::scatter},    {"balanced", AffinityType::balanced},
             {"explicit", AffinityType::explicit_}, {"logical", AffinityType::logical},
             {"physical", AffinityType::physical},  {"disabled", AffinityType::disabled}};

template <size_t count>
bool unit_named(std::string_view word, const UnitName (&names)[count], PlaceUnit& unit) {
    for (const UnitName& entry : names)
        if (same_word(word, entry.name)) {
            unit = entry.unit;
            return true;
        }
    return false;
}

bool type_named(std::string_view word, AffinityType& type) {
    for (const auto& entry : types)
        if (same_word(word, entry.name)) {
            type = entry.type;
            return true;
        }
    return false;
}

/// A modifier without a value. `warnings` and `duplicates` have no effect of their own:
/// KMP_WARNINGS is about the former, and libomp takes the latter for its old versions' sake.
bool flag_named(std::string_view word, KmpAffinity& affinity) {
    struct Flag {
        std::string_view name;
        bool KmpAffinity::* flag;
        bool value;
    };
    static constexpr Flag flags[] = {
        {"verbose", &KmpAffinity::verbose, true}, {"noverbose", &KmpAffinity::verbose, false},
        {"respect", &KmpAffinity::respect, true}, {"norespect", &KmpAffinity::respect, false},
        {"reset", &KmpAffinity::reset, true},     {"noreset", &KmpAffinity::reset, false}};
    for (const Flag& entry : flags)
        if (same_word(word, entry.name)) {
            affinity.*entry.flag = entry.value;
            return true;
        }
    for (std::string_view idle : {"warnings", "nowarnings", "duplicates", "noduplicates"})
        if (same_word(word, idle))
            return true;
    return false;
}

/// A number that `int` holds.
bool natural(Scanner& scanner, int& result) {
    uint64_t number = 0;
    if (!scanner.number(number) || number > INT_MAX)
        return false;
    result = static_cast<int>(number);
    return true;
}

bool cpu_number(Scanner& scanner, int& cpu) {
    return natural(scanner, cpu) && cpu < CpuSet::capacity;
}

/// `cpu` or `first-last[:stride]`; calls `add` with each CPU as long as it returns true.
template <class Add>
bool cpu_range(Scanner& scanner, Add&& add) {
    int first_cpu, stride = 1;
    if (!cpu_number(scanner, first_cpu))
        return false;
    int last_cpu = first_cpu;
    if (scanner.take('-')) {
        if (!cpu_number(scanner, last_cpu) || last_cpu < first_cpu)
            return false;
        if (scanner.take(':') && (!natural(scanner, stride) || stride == 0))
            return false;
    }
    for (int64_t cpu = first_cpu; cpu <= last_cpu; cpu += stride)
        if (!add(static_cast<int>(cpu)))
            return false;
    return true;
}

/// What follows `{`, up to and with `}`.
bool braced(Scanner& scanner, CpuSet& place) {
    do {
        if (!cpu_range(scanner, [&place](int cpu) {
                place.add(cpu);
                return true;
            }))
            return false;
    } while (scanner.take(','));
    return scanner.take('}');
}

/// What follows `proclist`: `=[...]`.
bool bracketed(Scanner& scanner, std::string_view& list) {
    PlaceList unused;
    std::string_view inside;
    if (!scanner.take('=') || !scanner.take('[') || !scanner.until(']', inside) ||
        !parse_proclist(inside, unused))
        return false;
    list = inside;
    return true;
}

/// KMP_AFFINITY while it is being read.
struct AffinityText {
    KmpAffinity affinity;
    std::string_view list; ///< of `proclist`
    int numbers = 0;       ///< of permute and offset: how many there have been
};

/// One of the parts between commas; false, with nothing changed, for what is none.
bool affinity_part(Scanner& scanner, AffinityText& text) {
    KmpAffinity& affinity = text.affinity;
    if (scanner.at_digit())
        return text.numbers < 2 &&
               natural(scanner, text.numbers++ == 0 ? affinity.permute : affinity.offset);
    const std::string_view word = scanner.word();
    if (same_word(word, "granularity") || same_word(word, "gran"))
        return scanner.take('=') && unit_named(scanner.word(), granularities, affinity.granularity);
    if (same_word(word, "proclist"))
        return bracketed(scanner, text.list);
    if (AffinityType type; type_named(word, type)) {
        if (affinity.type != AffinityType::unset)
            return false; // the first one counts
        affinity.type = type;
        return true;
    }
    return flag_named(word, affinity);
}

/// Sets what the parts say together; false where a type and a list do not fit together.
bool conclude(AffinityText& text) {
    KmpAffinity& affinity = text.affinity;
    if (!text.list.empty() && affinity.type == AffinityType::unset)
        affinity.type = AffinityType::explicit_;
    if (text.numbers == 1 &&
        (affinity.type == AffinityType::logical || affinity.type == AffinityType::physical))
        std::swap(affinity.permute, affinity.offset); // their one number is the offset
    if ((affinity.type == AffinityType::explicit_) != text.list.empty())
        return true;
    if (text.list.empty())
        affinity.type = AffinityType::unset;
    text.list = {};
    return false;
}

bool layer_named(std::string_view word, PlaceUnit& unit) {
    if (const size_t longest_short = 2;
        word.size() > longest_short + 1 && lower(word.back()) == 's')
        word.remove_suffix(1);
    return unit_named(word, layers, unit);
}

/// `[count|*]unit[@offset]`, all of `text`.
bool hw_layer(std::string_view text, HwSubset& subset) {
    Scanner scanner(text);
    HwSubsetItem item{PlaceUnit::threads, 0, 0};
    if (!scanner.take('*') && scanner.at_digit() && (!natural(scanner, item.count) || !item.count))
        return false;
    if (!layer_named(scanner.word(), item.unit))
        return false;
    if ((scanner.take('@') && !natural(scanner, item.offset)) || !scanner.at_end())
        return false;
    for (int i = 0; i < subset.length; ++i)
        if (subset.items[i].unit == item.unit)
            return false;
    subset.items[subset.length++] = item;
    return true;
}

} // namespace

bool parse_kmp_affinity(std::string_view text, KmpAffinity& affinity, std::string_view& proclist) {
    AffinityText parsed;
    parsed.affinity.given = true;
    bool valid = true;
    Scanner scanner(text);
    do {
        valid = affinity_part(scanner, parsed) && valid;
        valid = scanner.skip_to(',') && valid;
    } while (scanner.take(',') && !scanner.at_end()); // a comma may come last
    valid = conclude(parsed) && valid;
    if (valid || parsed.affinity.type != AffinityType::unset) {
        affinity = parsed.affinity;
        proclist = parsed.list;
    }
    return valid;
}

bool parse_proclist(std::string_view text, PlaceList& list) {
    Scanner scanner(text);
    do {
        if (scanner.take('{')) {
            CpuSet place;
            if (!braced(scanner, place) || !list.add(place))
                return false;
        } else if (!cpu_range(scanner, [&list](int cpu) {
                       CpuSet place;
                       place.add(cpu);
                       return list.add(place);
                   })) {
            return false;
        }
    } while (scanner.take(','));
    return scanner.at_end();
}

bool parse_hw_subset(std::string_view text, HwSubset& subset) {
    HwSubset parsed;
    text = trimmed(text);
    parsed.exact = begins(text, ":");
    if (parsed.exact)
        text.remove_prefix(1);
    for (;;) {
        const size_t end = text.find_first_of(",xX");
        if (!hw_layer(first(text, end), parsed))
            return false;
        if (end == text.npos)
            break;
        text = after(text, end + 1);
    }
    subset = parsed;
    return true;
}

std::string_view unit_name(PlaceUnit unit) {
    for (const UnitName& entry : granularities)
        if (entry.unit == unit)
            return entry.name;
    return "listed";
}

std::string_view type_name(AffinityType type) {
    for (const auto& entry : types)
        if (entry.type == type)
            return entry.name;
    return "none";
}

} // namespace heddle::config
