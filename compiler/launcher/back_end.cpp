// SPDX-License-Identifier: Apache-2.0
// Names are tried without a version first, then with each version from the oldest on.
#include "back_end.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace heddlecc {

namespace {

struct Family {
    const char* name;
    int first_version, last_version;
    std::vector<std::string> compilers;
};

std::vector<Family> families_of(const std::string& wrapper) {
    const auto compilers = [&](const char* c, const char* cxx) {
        return std::vector<std::string>{wrapper == "heddlec++" ? cxx : c};
    };
    if (wrapper == "heddlefc")
        return {{"gcc", 12, 30, {"gfortran"}}, {"clang", 19, 40, {"flang", "flang-new"}}};
    return {{"gcc", 12, 30, compilers("gcc", "g++")},
            {"clang", 19, 40, compilers("clang", "clang++")}};
}

bool is_number(const std::string& text) {
    return !text.empty() && text.size() < 6 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The version in a name such as x86_64-linux-gnu-gcc-12; 0 if it has none.
int version_in(const std::string& name) {
    const size_t dash = name.rfind('-');
    return dash != std::string::npos && is_number(name.substr(dash + 1))
               ? std::atoi(name.c_str() + dash + 1)
               : 0;
}

/// By the name of what the path is a link to, or of a folder on the way, as in llvm-19/bin/clang.
int version_of(const std::string& path) {
    char real[PATH_MAX];
    std::string rest = realpath(path.c_str(), real) ? real : "";
    for (bool is_file = true; !rest.empty(); is_file = false) {
        const size_t slash = std::min(rest.rfind('/'), rest.size() - 1);
        const std::string name = rest.substr(slash + 1);
        if (is_file || name.starts_with("llvm-"))
            if (const int version = version_in(name))
                return version;
        rest.erase(slash);
    }
    return 0;
}

} // namespace

std::string find_in_path(const std::string& name) {
    const char* variable = std::getenv("PATH");
    const std::string folders = variable ? variable : "/bin:/usr/bin";
    for (size_t at = 0; at <= folders.size();) {
        const size_t end = std::min(folders.find(':', at), folders.size());
        const std::string folder = folders.substr(at, end - at);
        const std::string path = (folder.empty() ? "." : folder) + "/" + name;
        struct stat found;
        if (stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
            access(path.c_str(), X_OK) == 0)
            return path;
        at = end + 1;
    }
    return "";
}

BackEnd find_back_end(const std::string& wrapper, const std::string& wanted, std::string& problem) {
    const size_t dash = wanted.find('-');
    const std::string family = wanted.substr(0, dash);
    const std::string version = dash == std::string::npos ? "" : wanted.substr(dash + 1);
    if ((!family.empty() && family != "gcc" && family != "clang") ||
        (dash != std::string::npos && (!is_number(version) || family.empty()))) {
        problem = "--backend " + wanted + ": " + accepted_back_ends;
        return {};
    }
    problem.clear();
    for (const Family& kind : families_of(wrapper)) {
        if (!family.empty() && family != kind.name)
            continue;
        std::vector<std::pair<std::string, int>> candidates;
        if (version.empty())
            for (const std::string& name : kind.compilers)
                candidates.emplace_back(name, 0);
        for (int number = kind.first_version; number <= kind.last_version; ++number)
            for (const std::string& name : kind.compilers)
                if (version.empty())
                    candidates.emplace_back(name + "-" + std::to_string(number), number);
        if (!version.empty())
            for (const std::string& name : kind.compilers)
                candidates.emplace_back(name + "-" + version, std::atoi(version.c_str()));
        for (auto& [name, number] : candidates) {
            const std::string path = find_in_path(name);
            if (path.empty())
                continue;
            const int known = number ? number : version_of(path);
            if (!version.empty() || known == 0 || known >= kind.first_version)
                return {path, kind.name, known};
        }
        std::string names;
        for (const std::string& name : kind.compilers)
            names += (names.empty() ? "" : "/") + name;
        problem += (problem.empty() ? "no " : " and no ") + names;
        problem += version.empty() ? " or " + kind.compilers[0] + "-" +
                                         std::to_string(kind.first_version) + " and later"
                                   : "-" + version;
    }
    problem += " found in PATH";
    return {};
}

} // namespace heddlecc
