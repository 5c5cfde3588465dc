// SPDX-License-Identifier: Apache-2.0
// Text is searched as it is: Fortran has no case, and a macro may make a clause of any word.
#include "scan.hpp"

#include "file.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

namespace heddlecc {

namespace {

constexpr std::string_view words[] = {"affinity", "adaptive"};

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// The first place from `at` on where the word stands; npos if there is none.
size_t find_word(std::string_view text, std::string_view word, size_t at) {
    const auto found =
        std::search(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), word.begin(),
                    word.end(), [](char a, char b) { return lower(a) == b; });
    return found == text.end() ? std::string_view::npos : static_cast<size_t>(found - text.begin());
}

bool has_words(std::string_view text) {
    return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
        return find_word(text, word, 0) != std::string_view::npos;
    });
}

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The text with comments as blanks.
std::string code_of(std::string_view text) {
    std::string code;
    for (size_t at = 0; at < text.size();) {
        size_t end = at + 1;
        if (text.substr(at, 2) == "//") {
            end = std::min(text.find('\n', at), text.size());
        } else if (text.substr(at, 2) == "/*") {
            const size_t close = text.find("*/", at + 2);
            end = close == std::string_view::npos ? text.size() : close + 2;
        } else if (text[at] == '"') {
            while (end < text.size() && text[end] != '"' && text[end] != '\n')
                end += text[end] == '\\' ? 2 : 1;
            end = std::min(end + 1, text.size());
        }
        if (text[at] == '/' && end > at + 1)
            code += ' ';
        else
            code += text.substr(at, end - at);
        at = end;
    }
    return code;
}

/// Not in comments, nor as a part of another name.
bool has_words_in_code(const std::string& text) {
    if (!has_words(text))
        return false;
    const std::string code = code_of(text);
    for (const std::string_view word : words)
        for (size_t at = find_word(code, word, 0); at != std::string::npos;
             at = find_word(code, word, at + 1)) {
            const size_t end = at + word.size();
            if ((at == 0 || !is_of_name(code[at - 1])) &&
                (end == code.size() || !is_of_name(code[end])))
                return true;
        }
    return false;
}

std::string trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r\f\v");
    return first == std::string_view::npos
               ? ""
               : std::string(text.substr(first, text.find_last_not_of(" \t\r\f\v") + 1 - first));
}

/// What stands behind each #include of the text, as `"name"` or `<name>` or a macro.
std::vector<std::string> includes_of(std::string_view text) {
    constexpr std::string_view word = "include", next = "_next";
    std::vector<std::string> found;
    for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const size_t newline = text.rfind('\n', at);
        const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
        if (trimmed(text.substr(begin, at - begin)) == "#" ||
            (text[begin] == '#' && trimmed(text.substr(begin + 1, at - begin - 1)).empty())) {
            const size_t end = std::min(text.find('\n', at), text.size());
            std::string_view line = text.substr(at + word.size(), end - at - word.size());
            if (line.starts_with(next))
                line.remove_prefix(next.size());
            found.push_back(trimmed(line));
        }
    }
    return found;
}

std::string folder_of(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

} // namespace

Scan::Scan(const std::string& text, const std::string& path, const CommandLine& command)
    : own(has_words(text)) {
    for (const Folder& folder : command.folders) {
        folders_.push_back(folder.path + "/");
        if (folder.option == "-iquote")
            quoted_.push_back(folder.path + "/");
    }
    for (const char* variable : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
        if (const char* value = std::getenv(variable)) {
            const std::string list = value;
            for (size_t at = 0; at <= list.size();) {
                const size_t end = std::min(list.find(':', at), list.size());
                if (end > at)
                    folders_.push_back(list.substr(at, end - at) + "/");
                at = end + 1;
            }
        }
    for (const std::string& argument : command.arguments)
        others = others || (argument.find('=') != std::string::npos && has_words(argument));
    for (const std::string& name : command.included)
        include(name, "", true);
    std::string precompiled;
    for (const std::string& name : command.precompiled)
        others = others || (read_file(name, precompiled) && has_words(precompiled));
    follow(text, path == "-" ? "" : folder_of(path));
}

void Scan::follow(const std::string& text, const std::string& folder) {
    for (const std::string& name : includes_of(text)) {
        if (name.starts_with("\"") || name.starts_with("<")) {
            const bool quoted = name[0] == '"';
            const size_t end = std::min(name.find(quoted ? '"' : '>', 1), name.size());
            include(name.substr(1, end - 1), folder, quoted);
        } else {
            others = true; // the name is a macro
        }
    }
}

void Scan::include(const std::string& name, const std::string& folder, bool quoted) {
    std::vector<std::string> places;
    if (quoted) {
        places.push_back(folder);
        places.insert(places.end(), quoted_.begin(), quoted_.end());
    }
    places.insert(places.end(), folders_.begin(), folders_.end());
    for (const std::string& place : places) {
        const std::string path = name.starts_with("/") ? name : place + name;
        if (seen_.contains(path))
            return;
        std::string text;
        if (path == "-" || !read_file(path, text))
            continue;
        seen_.insert(path);
        others = others || has_words_in_code(text);
        follow(text, folder_of(path));
        return;
    }
    if (name == "heddle.h" || name == "heddle.hpp")
        wants_headers = true;
}

} // namespace heddlecc
