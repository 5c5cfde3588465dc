#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and tests every configuration, and ends with the closing lines of each ctest run.
# Usage: tools/run_tests.sh [release|debug|thread|address|aarch64]...   (default: all five)
# Called by tools/test.sh, which installs what this needs. A configuration that fails does not stop
# the others; the exit status tells.
set -uo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh
help_if_asked "$@"
jobs=$(nproc)

# The release library gets every test; the sanitized ones those that look inside: unit and stress, and
# the program of two compilers, of which ThreadSanitizer sees both parts. They have all checks, as has
# debug, where stress and random programs are faster. Cross-compiled for AArch64, programs run on an
# emulated machine.
options() {
    case $1 in
        release) echo "-DCMAKE_BUILD_TYPE=Release -DHEDDLE_SANITIZE=" ;;
        # The explorer's programs have the checks in every build type.
        debug) echo "-DCMAKE_BUILD_TYPE=Debug -DHEDDLE_UNIT_TESTS=OFF -DHEDDLE_SANITIZE= -DHEDDLE_EXPLORER=OFF -DHEDDLE_SIM=OFF -DHEDDLE_PASS=OFF" ;;
        thread | address) echo "-DCMAKE_BUILD_TYPE=Debug -DHEDDLE_SANITIZE=$1 -DHEDDLE_SIM=OFF" ;;
        aarch64) echo "-DCMAKE_BUILD_TYPE=Release -DHEDDLE_PASS=OFF -DHEDDLE_SIM=OFF -DCMAKE_TOOLCHAIN_FILE=tools/aarch64-linux-gnu.cmake" ;;
        *) echo "unknown configuration: $1" >&2; return 1 ;;
    esac
}

# gcc 12's ThreadSanitizer cannot live with the address randomization of newer kernels.
steady() {
    if [ "$1" = thread ] && setarch --addr-no-randomize true 2>/dev/null; then
        echo "setarch --addr-no-randomize"
    fi
}

build() {
    local folder=build/$1 arguments
    arguments=$(options "$1") || return 1
    # shellcheck disable=SC2086
    cmake -S . -B "$folder" -G Ninja -DHEDDLE_TESTS=ON $arguments >"$folder.log" 2>&1 &&
        cmake --build "$folder" -j "$jobs" >>"$folder.log" 2>&1 || {
        tail -n 40 "$folder.log"
        return 1
    }
}

run() {
    local only=()
    # Teams of one find nothing there that larger ones miss; those of two are for ThreadSanitizer.
    case $1 in
        release | aarch64) ;;
        thread) only=(-R '^(unit|stress|fuzz[.]corpus|robustness[.]mixed)' -E '[.]1$') ;;
        *) only=(-R '^(unit|stress|random[.](c|fortran|events)|fuzz[.]corpus|robustness[.]mixed)' -E '[.][12]$') ;;
    esac
    # shellcheck disable=SC2046
    $(steady "$1") ctest --test-dir "build/$1" -j "$jobs" --output-on-failure --no-tests=error \
        "${only[@]}" 2>&1 | tee "build/$1.tests"
}

mkdir -p build
configurations=("${@:-release debug thread address aarch64}")
read -ra configurations <<<"${configurations[*]}"
failed=()
for name in "${configurations[@]}"; do
    echo "== $name: building"
    rm -f "build/$name.tests"
    build "$name" && echo "== $name: testing" && run "$name" || failed+=("$name")
done

echo
for name in "${configurations[@]}"; do
    if [ -f "build/$name.tests" ]; then
        echo "$name: $(grep -E '^[0-9]+% tests passed|^No tests were found' "build/$name.tests")," \
            "$(grep '^Total Test time' "build/$name.tests")"
    else
        echo "$name: the build failed, see build/$name.log"
    fi
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "FAILED: ${failed[*]}"
    exit 1
fi
echo "All configurations passed."
