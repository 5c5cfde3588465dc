// SPDX-License-Identifier: Apache-2.0
// A workload is an ordinary OpenMP program as one function, one file each, known by its name. It
// runs on the initial thread of the modelled machine; what its own code computes it charges itself
// (engine/charge.hpp), for only the runtime's accesses and the workload's atomics are seen.
// Compiled by g++ -fopenmp -fno-inline-atomics; thread_local and threadprivate variables are shared
// by all simulated threads, so there must be none.
#pragma once

#include "engine/charge.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::sim {

/// What `--param name=value` gave. Asking for a name makes it known; others are refused at the end.
class Parameters {
public:
    /// Values of bad spelling or out of range end the program with one line.
    int64_t integer(const std::string& name, int64_t usual, int64_t least, int64_t most);
    double real(const std::string& name, double usual, double least, double most);
    std::string text(const std::string& name, const std::string& usual);
    /// One of `names`.
    std::string choice(const std::string& name, const std::vector<std::string>& names);

    void set(const std::string& name, const std::string& value) { given_[name] = value; }
    void refuse_unknown() const;
    /// Ends the program with one line about a value that was read, and of no use.
    [[noreturn]] void reject(const std::string& name, const std::string& why) const;

private:
    const std::string* find(const std::string& name);

    std::map<std::string, std::string> given_;
    std::map<std::string, bool> known_;
};

struct Outcome {
    bool checked = false; ///< the answer was compared with one known otherwise, and is right
    std::string answer;
    /// Virtual seconds of the part that counts; 0: the whole run.
    double seconds = 0;
    std::map<std::string, double> figures;
};

struct Workload {
    const char* name;
    const char* purpose;
    /// With that many threads in OMP_NUM_THREADS.
    Outcome (*run)(Parameters& parameters, int threads);
};

/// A constant of this type in a workload's file registers it.
struct Registration {
    Registration(const char* name, const char* purpose,
                 Outcome (*run)(Parameters& parameters, int threads));
};

/// Sorted by name.
const std::vector<Workload>& workloads();

/// Looks like chance, and is the same for the same `x`: splitmix64.
inline uint64_t mixed(uint64_t x) {
    x = (x + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/// Makes the threads, so that a measurement that follows finds them.
void start_team();

/// Virtual seconds of `body`.
template <class F>
double timed(F&& body) {
    const uint64_t began = virtual_ns();
    body();
    return static_cast<double>(virtual_ns() - began) * 1e-9;
}

} // namespace heddle::sim
