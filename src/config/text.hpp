// SPDX-License-Identifier: Apache-2.0
// A line of text built in a fixed buffer: messages, paths and values without allocation.
// Called by config/ before the process may have a working heap; one thread owns each buffer.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string_view>

namespace heddle::config {

/// Where text goes. Without a sink what does not fit is cut off and truncated() says so.
class Text {
public:
    using Flush = void (*)(std::string_view);

    /// `capacity` bytes at `buffer`, of which the last is kept for the terminating NUL.
    Text(char* buffer, size_t capacity, Flush sink = nullptr)
        : buffer_(buffer), room_(capacity - 1), flush_(sink) {
        buffer_[0] = '\0';
    }
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;

    Text& operator<<(std::string_view text) {
        for (char c : text)
            put(c);
        return *this;
    }

    template <std::integral Number>
        requires(sizeof(Number) > 1) // neither bool nor char, which is text of length one
    Text& operator<<(Number value) {
        char digits[24]; // the longest 64-bit number has 20 characters
        return *this << std::string_view(
                   digits, static_cast<size_t>(
                               std::to_chars(digits, digits + sizeof digits, value).ptr - digits));
    }

    /// Forgets all but the first `length` bytes.
    void cut(size_t length) {
        length_ = length;
        buffer_[length_] = '\0';
    }

    /// Hands what is pending to the sink.
    void flush() {
        if (flush_ != nullptr && length_ > 0) {
            flush_(view());
            cut(0);
        }
    }

    std::string_view view() const { return {buffer_, length_}; }
    const char* c_str() const { return buffer_; }
    bool truncated() const { return truncated_; }

private:
    void put(char c) {
        if (length_ == room_) {
            flush();
            if (length_ == room_) {
                truncated_ = true;
                return;
            }
        }
        buffer_[length_++] = c;
        buffer_[length_] = '\0';
    }

    char* buffer_;
    size_t room_;
    size_t length_ = 0;
    bool truncated_ = false;
    Flush flush_;
};

} // namespace heddle::config
