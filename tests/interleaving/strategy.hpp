// SPDX-License-Identifier: Apache-2.0
// Who goes next: at random, by PCT (random priorities that change at a few random steps; Burckhardt
// et al., ASPLOS 2010), or exhaustively up to a number of preemptions, depth first.
// Everything follows from the seed or the list of choices, which replay() gives and accepts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace explore {

struct Actor {
    uint32_t fiber;
    bool is_buffer; ///< the store buffer of that fiber
    bool current;   ///< the fiber that made the last step: choosing it is no preemption
};

class Strategy {
public:
    void begin_random(uint64_t seed, bool pct);
    void begin_exhaustive(uint32_t preemptions, bool buffers);
    /// After an execution of the exhaustive search: false when there is no other.
    bool advance();
    /// Returns whether store buffers are in use.
    bool begin_replay(const std::string& text);

    /// Index into `actors`, which are never empty.
    size_t next(const std::vector<Actor>& actors, uint64_t step);
    /// The fiber waits for others: under PCT all of them get precedence, or two could spin for ever
    /// while a third, whom they wait for, never gets its turn.
    void spins(uint32_t fiber);
    /// Somebody ran for so long that he may starve the one he waits for: new priorities.
    void reshuffle() { priorities_.clear(); }
    /// A number below `bound`, for choices of the model or of the test.
    uint32_t choose(uint32_t bound);
    /// How much older than the newest of `count` messages is the one that a fiber meets: 0 is the
    /// newest. Any other counts as a preemption in the exhaustive search.
    size_t choose_older(size_t count);

    bool is_exhaustive() const { return mode_ == Mode::exhaustive; }
    const char* name() const;
    std::string replay() const;

private:
    enum class Mode { random, pct, exhaustive };

    /// A decision of the exhaustive search. Alternatives beyond `taken` are untried.
    struct Decision {
        uint32_t taken;
        uint32_t alternatives;
        uint32_t cost; ///< preemptions that any alternative but 0 costs
    };

    uint64_t random();
    bool one_in(uint32_t n) { return random() % n == 0; }
    uint32_t decide(uint32_t alternatives, uint32_t cost);
    uint64_t& priority(const Actor& actor);

    Mode mode_ = Mode::random;
    uint64_t seed_ = 0, state_ = 0;
    uint32_t switch_one_in_ = 2, drain_one_in_ = 2, older_one_in_ = 0; ///< 0: not yet chosen
    static constexpr uint64_t below_originals = uint64_t{1} << 24;
    uint64_t spinners_priority_ = below_originals; ///< the last one given: each gets a lower one
    std::vector<uint64_t> priorities_;             ///< by fiber, then its buffer
    std::vector<uint64_t> change_points_;
    bool buffers_ = true;
    uint32_t preemptions_ = 0, spent_ = 0;
    std::vector<Decision> decisions_;
    size_t position_ = 0;
    uint32_t last_fiber_ = 0;
};

} // namespace explore
