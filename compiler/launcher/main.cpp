// SPDX-License-Identifier: Apache-2.0
// heddlecc, heddlec++ and heddlefc: one program under three names, which becomes the compiler with
// the user's command and what Heddle needs in front of it. Where a source may have an extension
// clause it becomes heddlecc/__main__.py instead, which rewrites it. docs/heddlecc.md.
// It is native because every command of a build pays for its start.
#include "back_end.hpp"
#include "command_line.hpp"
#include "file.hpp"
#include "scan.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {
extern const char heddlecc_modules[], heddlecc_libraries[], heddlecc_links[], heddlecc_headers[],
    heddlecc_task_pass[];
}

namespace heddlecc {

namespace {

/// Files of ours, whose places places.c.in knows from this program's folder on.
struct Places {
    std::string modules;   ///< the folder of the Python package heddlecc
    std::string libraries; ///< of libheddle.so
    std::string links;     ///< of its links by the names that -fopenmp links
    std::string headers;   ///< of heddle.h
    std::string task_pass; ///< the LLVM pass for tasks, which need not be there

    Places() {
        char self[PATH_MAX];
        const ssize_t size = readlink("/proc/self/exe", self, sizeof self);
        const std::string path(self, size > 0 ? static_cast<size_t>(size) : 0);
        const std::string folder = path.substr(0, path.rfind('/'));
        modules = joined(folder, heddlecc_modules);
        libraries = joined(folder, heddlecc_libraries);
        links = joined(folder, heddlecc_links);
        headers = joined(folder, heddlecc_headers);
        task_pass = joined(folder, heddlecc_task_pass);
    }

private:
    /// `folder`/`place`, without what `..` in front of the place takes back.
    static std::string joined(std::string folder, std::string place) {
        if (place.starts_with("/"))
            return place;
        for (; place.starts_with("../"); place.erase(0, 3))
            folder.erase(std::min(folder.rfind('/'), folder.size()));
        return folder + "/" + place;
    }
};

/// What heddlecc itself is told; `rest` is for the back end.
struct Options {
    std::string back_end;
    bool lacks_value = false; ///< --backend does
    bool task_pass = true, rpath = true;
    std::vector<std::string> rest;

    explicit Options(const std::vector<std::string>& arguments) {
        const std::string with_value = "--backend=";
        if (const char* variable = std::getenv("HEDDLECC_BACKEND"))
            back_end = variable;
        for (size_t i = 0; i < arguments.size(); ++i) {
            const std::string& argument = arguments[i];
            if (argument == "--backend")
                set_back_end(i + 1 < arguments.size() ? arguments[++i] : "");
            else if (argument.starts_with(with_value))
                set_back_end(argument.substr(with_value.size()));
            else if (argument == "--no-task-pass")
                task_pass = false;
            else if (argument == "--no-rpath")
                rpath = false;
            else
                rest.push_back(argument);
        }
    }

private:
    void set_back_end(const std::string& value) {
        back_end = value;
        lacks_value = value.empty();
    }
};

void say(const std::string& text) { std::fprintf(stderr, "heddlecc: %s\n", text.c_str()); }

/// The arguments that go in front of the user's.
std::vector<std::string> additions(const CommandLine& command, const Options& options,
                                   const BackEnd& back_end, const Places& places) {
    std::vector<std::string> added;
    const bool only_headers = std::all_of(command.inputs.begin(), command.inputs.end(),
                                          [](const Input& input) { return input.is_header(); });
    if (command.stage == "link" && !only_headers) {
        // What is static through and through has no use for a folder; static-pie dies of one.
        const bool is_static = std::any_of(
            command.arguments.begin(), command.arguments.end(),
            [](const std::string& word) { return word == "-static" || word == "-static-pie"; });
        added.push_back("-L" + places.links);
        if (options.rpath && !is_static)
            added.insert(added.end(), {"-Xlinker", "-rpath", "-Xlinker", places.libraries});
    }
    const bool has_c = std::any_of(command.inputs.begin(), command.inputs.end(),
                                   [](const Input& input) { return input.is_c(); });
    const bool compiles = command.stage != "-E" && command.stage != "-fsyntax-only";
    if (options.task_pass && has_c && compiles && command.optimizes && back_end.family == "clang" &&
        back_end.version == 19 && access(places.task_pass.c_str(), R_OK) == 0)
        added.push_back("-fpass-plugin=" + places.task_pass);
    return added;
}

/// What has been read from standard input can be read there again.
void give_back_input(const std::string& text) {
    const int file = memfd_create("stdin", 0);
    size_t written = 0;
    while (file >= 0 && written < text.size()) {
        const ssize_t size = write(file, text.data() + written, text.size() - written);
        if (size < 0)
            break;
        written += static_cast<size_t>(size);
    }
    if (file < 0 || lseek(file, 0, SEEK_SET) != 0 || dup2(file, 0) != 0)
        say(std::string("standard input: ") + std::strerror(errno));
    if (file > 0)
        close(file);
}

/// Becomes another program; 1 where that fails.
int become(const std::vector<std::string>& arguments) {
    std::vector<char*> pointers;
    for (const std::string& argument : arguments)
        pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    execv(pointers[0], pointers.data());
    say(arguments[0] + ": " + std::strerror(errno));
    return 1;
}

/// `seen` has a digit for each source: 0 not to be rewritten, 1 if the source has the words, 2 if
/// others may have them.
int rewrite(const BackEnd& back_end, const Places& places, const std::string& seen,
            const std::vector<std::string>& added, const std::vector<std::string>& rest) {
    const std::string python = find_in_path("python3");
    if (python.empty()) {
        say("a source may have extension clauses, and no python3 found in PATH to rewrite them");
        return 1;
    }
    std::vector<std::string> command = {python,
                                        "-I",
                                        "-S",
                                        "-B",
                                        places.modules + "/heddlecc/__main__.py",
                                        back_end.family,
                                        seen,
                                        std::to_string(added.size())};
    command.insert(command.end(), added.begin(), added.end());
    command.push_back(back_end.path);
    command.insert(command.end(), rest.begin(), rest.end());
    return become(command);
}

/// Which of the three names it was called by: argv[0] or, of other names, the first of ours to
/// which it is a link (as c++ is, of update-alternatives); heddlecc where none is.
std::string name_of(std::string path) {
    for (int links = 0; links < 40; ++links) { // as many as the kernel follows
        const size_t slash = path.rfind('/') + 1;
        const std::string name = path.substr(slash);
        if (name == "heddlecc" || name == "heddlec++" || name == "heddlefc")
            return name;
        char target[PATH_MAX];
        const std::string link = slash == 0 ? find_in_path(name) : path;
        const ssize_t size = readlink(link.c_str(), target, sizeof target);
        if (size <= 0)
            break;
        const std::string next(target, static_cast<size_t>(size));
        path = next.starts_with("/") ? next : link.substr(0, link.rfind('/') + 1) + next;
    }
    return "heddlecc";
}

int compile(const std::string& name, const std::vector<std::string>& arguments) {
    const Options options(arguments);
    const Places places;
    std::string problem;
    BackEnd back_end;
    if (options.lacks_value)
        problem = "--backend: its value is missing: " + std::string(accepted_back_ends);
    else
        back_end = find_back_end(name, options.back_end, problem);
    if (back_end.path.empty()) {
        say(problem);
        return 1;
    }
    const CommandLine command(options.rest);
    std::vector<std::string> added;
    if (command.openmp)
        added = additions(command, options, back_end, places);
    std::string seen;
    bool headers = false;
    for (const Input& input : command.inputs) {
        std::string text;
        if (input.is_source())
            seen += '0';
        else if (!input.is_header())
            continue;
        if (!read_file(input.path, text))
            continue; // the back end says what is wrong
        if (input.path == "-")
            give_back_input(text);
        const Scan scan(text, input.path, command);
        headers = headers || scan.wants_headers;
        if (input.is_source() && command.openmp && command.stage != "-E" &&
            (scan.own || scan.others))
            seen.back() = scan.others ? '2' : '1';
    }
    if (headers)
        added.push_back("-idirafter" + places.headers);
    if (seen.find_first_not_of('0') != std::string::npos)
        return rewrite(back_end, places, seen, added, options.rest);
    std::vector<std::string> whole = {back_end.path};
    whole.insert(whole.end(), added.begin(), added.end());
    whole.insert(whole.end(), options.rest.begin(), options.rest.end());
    return become(whole);
}

} // namespace

} // namespace heddlecc

int main(int count, char** arguments) {
    return heddlecc::compile(heddlecc::name_of(count > 0 ? arguments[0] : ""),
                             {arguments + std::min(count, 1), arguments + count});
}
