#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing on a Debian 12 machine, and does nothing where nothing is missing.
# Usage: tools/setup.sh --demo | --docs | --test | --dev   (test contains demo and docs, dev contains test)
# Called by tools/demo.sh, tools/docs.sh and tools/test.sh. Needs root or sudo only to install something.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh
help_if_asked "$@"

# "probe package": the probe is a command, a file, or a Python module with a leading colon.
demo=("gcc gcc" "g++ g++" "cmake cmake" "ninja ninja-build" "python3 python3" "readelf binutils")
docs=("sphinx-build python3-sphinx"
    "/usr/lib/python3/dist-packages/myst_parser python3-myst-parser"
    "/usr/lib/python3/dist-packages/furo furo")
test=("/usr/include/gtest/gtest.h libgtest-dev" ":ensurepip python3-venv" "gm graphicsmagick"
    "gfortran gfortran" "clang-19 clang-19" "FileCheck-19 llvm-19-tools"
    "/usr/lib/llvm-19/lib/libomp.so libomp-19-dev"
    "/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.fuzzer-$(uname -m).a libclang-rt-19-dev"
    "/usr/lib/llvm-19/include/llvm/Passes/PassPlugin.h llvm-19-dev" "opt-19 llvm-19"
    "qemu-system-x86_64 qemu-system-x86" "busybox busybox-static" "pkg-config pkg-config"
    "gdb gdb" "valgrind valgrind" "tclsh tcl" "qemu-system-aarch64 qemu-system-arm"
    "aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu"
    "aarch64-linux-gnu-g++ g++-aarch64-linux-gnu"
    # Of Debian's Python, whichever one python3 is.
    "/usr/lib/python3/dist-packages/click python3-click"
    "/usr/lib/python3/dist-packages/rich python3-rich"
    "/usr/lib/python3/dist-packages/elftools python3-pyelftools"
    "/usr/lib/$(uname -m)-linux-gnu/libboost_context.so libboost-context-dev"
    "/usr/include/nlohmann/json.hpp nlohmann-json3-dev")
dev=("clang-format-19 clang-format-19" "clang-tidy-19 clang-tidy-19")

present() {
    case $1 in
        /*) [ -e "$1" ] ;;
        :*) python3 -c "import ${1#:}" 2>/dev/null ;;
        *) command -v "$1" >/dev/null ;;
    esac
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install() {
    local obstacle=
    command -v apt-get >/dev/null || obstacle="no apt-get here"
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || obstacle="not root, and no sudo"
    if [ -n "$obstacle" ]; then
        echo "setup: please install by hand ($obstacle): $*" >&2
        exit 1
    fi
    echo "setup: installing $*"
    as_root apt-get -qq update || echo "setup: apt-get update failed, trying with the lists at hand" >&2
    as_root env DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes \
        apt-get -qq install --yes --no-install-recommends "$@" >/dev/null
}

case ${1:-} in
    --demo) wanted=("${demo[@]}") ;;
    --docs) wanted=("${docs[@]}") ;;
    --test) wanted=("${demo[@]}" "${docs[@]}" "${test[@]}") ;;
    --dev) wanted=("${demo[@]}" "${docs[@]}" "${test[@]}" "${dev[@]}") ;;
    *) refuse ;;
esac

missing=()
for entry in "${wanted[@]}"; do
    read -r probe package <<<"$entry"
    present "$probe" || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then install "${missing[@]}"; fi
echo "setup: all ${#wanted[@]} packages of group ${1#--} are here"
