// SPDX-License-Identifier: Apache-2.0
// Prints the ICVs for OMP_DISPLAY_ENV and omp_display_env, in the style of gcc 12's libgomp.
// Called by the constructor of the library and by any thread; reads the settings, writes nothing.
// OpenMP 5.2 sections 18.15 and 21.7.
#include "config/table.hpp"

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

} // namespace

void display_environment(const Icvs& icvs, bool verbose) {
    const Settings& current = settings();
    char buffer[4096]; // all of it in one write, unless lists are very long
    Text out(buffer, sizeof buffer, write_to_stderr);
    out << "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201511'\n";
    for (const Variable& variable : variables()) {
        if (variable.shown == Shown::never || (variable.shown == Shown::when_verbose && !verbose))
            continue;
        out << "  " << variable.name << " = '";
        variable.print(out, current, icvs);
        out << "'\n";
    }
    out << "OPENMP DISPLAY ENVIRONMENT END\n";
    out.flush();
}

} // namespace heddle::config
