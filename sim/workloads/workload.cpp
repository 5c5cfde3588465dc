// SPDX-License-Identifier: Apache-2.0
// The registry of workloads and their parameters. Filled by constructors, before main.
#include "workloads/workload.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace heddle::sim {

namespace {

std::vector<Workload>& registry() {
    static std::vector<Workload> all;
    return all;
}

[[noreturn]] void refuse(const std::string& name, const std::string& value,
                         const std::string& why) {
    fprintf(stderr, "heddle-sim: --param %s=%s: %s\n", name.c_str(), value.c_str(), why.c_str());
    fflush(stdout);
    _Exit(2); // from a simulated thread: no destructors
}

template <class T>
T number(const std::string& name, const std::string& text, T least, T most, const char* kind) {
    T value{};
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || rest != end)
        refuse(name, text, std::string("not ") + kind);
    if (!(value >= least && value <= most))
        refuse(name, text, "must be " + std::to_string(least) + " to " + std::to_string(most));
    return value;
}

} // namespace

const std::string* Parameters::find(const std::string& name) {
    known_[name] = true;
    const auto found = given_.find(name);
    return found == given_.end() ? nullptr : &found->second;
}

int64_t Parameters::integer(const std::string& name, int64_t usual, int64_t least, int64_t most) {
    const std::string* value = find(name);
    return value ? number(name, *value, least, most, "an integer") : usual;
}

double Parameters::real(const std::string& name, double usual, double least, double most) {
    const std::string* value = find(name);
    return value ? number(name, *value, least, most, "a number") : usual;
}

std::string Parameters::text(const std::string& name, const std::string& usual) {
    const std::string* value = find(name);
    return value ? *value : usual;
}

std::string Parameters::choice(const std::string& name, const std::vector<std::string>& names) {
    const std::string value = text(name, names[0]);
    if (std::find(names.begin(), names.end(), value) != names.end())
        return value;
    std::string list;
    for (const std::string& known : names)
        list += (list.empty() ? "" : ", ") + known;
    refuse(name, value, "there are " + list);
}

void Parameters::reject(const std::string& name, const std::string& why) const {
    const auto given = given_.find(name);
    refuse(name, given == given_.end() ? "" : given->second, why);
}

void Parameters::refuse_unknown() const {
    for (const auto& [name, value] : given_)
        if (known_.count(name) == 0)
            refuse(name, value, "this workload has no such parameter");
}

Registration::Registration(const char* name, const char* purpose,
                           Outcome (*run)(Parameters& parameters, int threads)) {
    std::vector<Workload>& all = registry();
    all.push_back({name, purpose, run});
    std::sort(all.begin(), all.end(),
              [](const Workload& a, const Workload& b) { return strcmp(a.name, b.name) < 0; });
}

const std::vector<Workload>& workloads() { return registry(); }

} // namespace heddle::sim
