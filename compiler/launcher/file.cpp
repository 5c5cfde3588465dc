// SPDX-License-Identifier: Apache-2.0
// By system calls: a source is read once, whole, and as it is. Called by the launcher, which has
// one thread.
#include "file.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace heddlecc {

bool read_file(const std::string& path, std::string& text) {
    const int file = path == "-" ? 0 : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    text.clear();
    char piece[1 << 16];
    ssize_t size;
    while ((size = read(file, piece, sizeof piece)) > 0)
        text.append(piece, static_cast<size_t>(size));
    if (file != 0)
        close(file);
    return size == 0;
}

} // namespace heddlecc
