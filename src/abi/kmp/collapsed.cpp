// SPDX-License-Identifier: Apache-2.0
// Nests of collapsed loops whose bounds may depend on outer loops: counting them, finding the
// iteration with a number, and a thread's block of schedule(static). Called by generated code on
// each thread; it writes the caller's arrays only. Where a loop's length depends on outer loops,
// these are walked: one look at each of their iterations. OpenMP 5.2 sections 4.4.1 and 4.4.3.
#include "abi/kmp/static_loop.hpp"

using namespace heddle;
using abi::kmp::Gtid;
using abi::kmp::Ident;

namespace {

/// How a loop of the nest compares its variable with the bound.
enum class Comparison : int32_t { less_equal, greater_equal, not_equal, less, greater };

/// Types of bounds and variables: odd ones are signed, each two are twice as wide as those before.
using Type = int32_t;

/// A loop as generated code describes it: from `lower` + `lower_factor` * v up or down to `upper` +
/// `upper_factor` * v, where v is the variable of loop `outer`. Values have the type `type`.
struct CollapsedLoop {
    Type type;
    Type variable_type;
    Comparison comparison;
    int32_t outer;
    uint64_t lower;
    uint64_t lower_factor;
    uint64_t upper;
    uint64_t upper_factor;
    int64_t step;
    uint64_t count;
};
static_assert(sizeof(CollapsedLoop) == 64);

/// `word` as a value of the type, extended to 64 bits.
uint64_t value_of(Type type, uint64_t word) {
    const int unused = 64 - (8 << (type / 2 & 3));
    const uint64_t shifted = word << unused;
    return type % 2 ? static_cast<uint64_t>(static_cast<int64_t>(shifted) >> unused)
                    : shifted >> unused;
}

bool less(Type type, uint64_t a, uint64_t b) {
    return type % 2 ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
}

/// The step is signed whatever the type of the bounds.
uint64_t step_of(const CollapsedLoop& loop) {
    return value_of(loop.type | 1, static_cast<uint64_t>(loop.step));
}

/// Makes the bound inclusive, as the caller is to see it.
void canonicalize(CollapsedLoop& loop) {
    if (loop.comparison == Comparison::not_equal)
        loop.comparison =
            static_cast<int64_t>(step_of(loop)) > 0 ? Comparison::less : Comparison::greater;
    if (loop.comparison == Comparison::less) {
        loop.upper = value_of(loop.type, loop.upper - 1);
        loop.comparison = Comparison::less_equal;
    } else if (loop.comparison == Comparison::greater) {
        loop.upper = value_of(loop.type, loop.upper + 1);
        loop.comparison = Comparison::greater_equal;
    }
}

/// The variables of the loops around, by their level.
class Nest {
public:
    Nest(const CollapsedLoop* loops, int32_t levels, uint64_t* variables)
        : loops_(loops), levels_(levels), variables_(variables) {}

    /// Iterations of the loops from `level` on, for the variables of the levels before.
    uint64_t count(int32_t level) {
        if (level == levels_)
            return 1;
        const uint64_t here = length(level);
        if (here == 0)
            return 0;
        if (!is_needed(level)) {
            set(level, 0);
            return here * count(level + 1);
        }
        uint64_t sum = 0;
        for (uint64_t i = 0; i < here; ++i) {
            set(level, i);
            sum += count(level + 1);
        }
        return sum;
    }

    /// Sets the variables to those of iteration `index` of the nest, which has more of them.
    void find(uint64_t index) {
        for (int32_t level = 0; level < levels_; ++level)
            index = find_at(level, index);
    }

private:
    uint64_t bound(const CollapsedLoop& loop, uint64_t constant, uint64_t factor) const {
        // The factor is 0 where the loop depends on no other, whatever `outer` says.
        const uint64_t product = factor ? factor * variables_[loop.outer] : 0;
        return value_of(loop.type, constant + product);
    }

    uint64_t first(const CollapsedLoop& loop) const {
        return bound(loop, loop.lower, loop.lower_factor);
    }

    uint64_t length(int32_t level) const {
        const CollapsedLoop& loop = loops_[level];
        const uint64_t from = first(loop), to = bound(loop, loop.upper, loop.upper_factor);
        const uint64_t step = step_of(loop);
        if (loop.comparison == Comparison::less_equal)
            return less(loop.type, to, from) ? 0 : (to - from) / step + 1;
        return less(loop.type, from, to) ? 0 : (from - to) / (0 - step) + 1;
    }

    void set(int32_t level, uint64_t index) {
        const CollapsedLoop& loop = loops_[level];
        variables_[level] = value_of(loop.variable_type, first(loop) + index * step_of(loop));
    }

    /// Whether the bounds of an inner loop contain the variable.
    bool is_needed(int32_t level) const {
        for (int32_t i = level + 1; i < levels_; ++i)
            if (loops_[i].outer == level && (loops_[i].lower_factor || loops_[i].upper_factor))
                return true;
        return false;
    }

    /// Sets the variable of one level; the number of the iteration in the loops inside of it.
    uint64_t find_at(int32_t level, uint64_t index) {
        set(level, 0);
        if (!is_needed(level)) {
            const uint64_t inside = count(level + 1);
            set(level, index / inside);
            return index % inside;
        }
        for (uint64_t i = 0;; ++i) {
            set(level, i);
            const uint64_t inside = count(level + 1);
            if (index < inside)
                return index;
            index -= inside;
        }
    }

    const CollapsedLoop* loops_;
    int32_t levels_;
    uint64_t* variables_;
};

} // namespace

/// A nest without dependent bounds: makes the bounds inclusive, sets the counts, returns how many
/// iterations there are.
HEDDLE_EXPORT uint64_t __kmpc_process_loop_nest_rectang(Ident*, Gtid, CollapsedLoop* loops,
                                                        int32_t levels) {
    uint64_t total = 1, variable;
    for (int32_t i = 0; i < levels; ++i) {
        canonicalize(loops[i]);
        loops[i].count = Nest(&loops[i], 1, &variable).count(0);
        total *= loops[i].count;
    }
    return total;
}

/// The variables of iteration `index` of a nest that the function above has seen.
HEDDLE_EXPORT void __kmpc_calc_original_ivs_rectang(Ident*, uint64_t index,
                                                    const CollapsedLoop* loops, uint64_t* variables,
                                                    int32_t levels) {
    for (int32_t i = levels; i-- > 0; index /= loops[i].count)
        variables[i] = value_of(loops[i].variable_type,
                                loops[i].lower + index % loops[i].count * step_of(loops[i]));
}

/// The thread's block of any nest: `block` becomes the nest with lower and upper set to the
/// variables of the block's first and last iteration. 0: the thread gets none. *last: it has the
/// last iteration of all.
HEDDLE_EXPORT int32_t __kmpc_for_collapsed_init(Ident*, Gtid, CollapsedLoop* loops,
                                                CollapsedLoop* block, int32_t levels,
                                                int32_t* last) {
    for (int32_t i = 0; i < levels; ++i)
        canonicalize(loops[i]);
    auto* variables =
        static_cast<uint64_t*>(__builtin_alloca(static_cast<size_t>(levels) * sizeof(uint64_t)));
    Nest nest(loops, levels, variables);
    const uint64_t total = nest.count(0);
    if (last)
        *last = 0;
    if (total == 0)
        return 0;
    abi::kmp::Range<uint64_t> range{0, total - 1, 1};
    const bool is_last = abi::kmp::take_block(range, abi::kmp::thread_of(team::self()));
    if (range.empty())
        return 0;
    nest.find(range.lower);
    for (int32_t i = 0; i < levels; ++i) {
        block[i] = loops[i];
        block[i].lower = variables[i];
        block[i].lower_factor = block[i].upper_factor = 0;
    }
    nest.find(range.upper);
    for (int32_t i = 0; i < levels; ++i)
        block[i].upper = variables[i];
    if (last)
        *last = is_last;
    return 1;
}
