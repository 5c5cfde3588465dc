// SPDX-License-Identifier: Apache-2.0
// Prints the ICVs for OMP_DISPLAY_ENV and omp_display_env, in the style of gcc 12's libgomp, and
// for KMP_SETTINGS, under libomp's two headings.
// Called by the constructor of the library and by any thread; reads the settings, writes nothing.
// OpenMP 5.2 sections 18.15 and 21.7.
#include "config/heddle_table.hpp"
#include "config/kmp_table.hpp"
#include "config/scanner.hpp"

#include <cerrno>
#include <unistd.h>

namespace heddle::config {

namespace {

/// All of `text` to stderr; nobody can be told when that fails.
void write_to_stderr(std::string_view text) {
    while (!text.empty()) {
        ssize_t written = write(STDERR_FILENO, text.data(), text.size());
        if (written < 0 && errno != EINTR)
            return;
        if (written > 0)
            text.remove_prefix(static_cast<size_t>(written));
    }
}

/// One line for each variable of `table`, the name after `before` and the value after `between`.
void print_variables(Text& out, std::span<const Variable> table, bool verbose,
                     std::string_view before, std::string_view between, const Settings& settings,
                     const Icvs& icvs) {
    for (const Variable& variable : table) {
        if (variable.shown == Shown::never || (variable.shown == Shown::when_verbose && !verbose))
            continue;
        out << before << variable.name << between;
        variable.print(out, settings, icvs);
        out << "'\n";
    }
}

/// Whether the entry of the environment is about OpenMP.
bool is_ours(std::string_view entry) {
    for (std::string_view prefix : {"OMP_", "GOMP_", "KMP_", "LIBOMP_", "HEDDLE_"})
        if (begins(entry, prefix))
            return true;
    return false;
}

} // namespace

void display_environment(const Settings& settings, const Icvs& icvs, bool verbose) {
    char buffer[4096]; // all of it in one write, unless lists are very long
    Text out(buffer, sizeof buffer, write_to_stderr);
    out << "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201511'\n";
    print_variables(out, variables(), verbose, "  ", " = '", settings, icvs);
    print_variables(out, kmp_variables(), verbose, "  ", " = '", settings, icvs);
    print_variables(out, heddle_variables(), verbose, "  ", " = '", settings, icvs);
    out << "OPENMP DISPLAY ENVIRONMENT END\n";
    out.flush();
}

void display_kmp(const Settings& settings, const char* const* entries) {
    char buffer[4096];
    Text out(buffer, sizeof buffer, write_to_stderr);
    if (settings.kmp_version)
        out << "Heddle " HEDDLE_VERSION ": OpenMP for programs of gcc, clang, flang and icx\n";
    if (settings.kmp_settings) {
        out << "\nUser settings:\n\n";
        for (; entries != nullptr && *entries != nullptr; ++entries)
            if (is_ours(*entries))
                out << "   " << *entries << "\n";
        out << "\nEffective settings:\n\n";
        print_variables(out, kmp_variables(), true, "   ", "='", settings, settings.initial);
        print_variables(out, variables(), true, "   ", "='", settings, settings.initial);
        print_variables(out, heddle_variables(), true, "   ", "='", settings, settings.initial);
        out << "\n";
    }
    out.flush();
}

} // namespace heddle::config
