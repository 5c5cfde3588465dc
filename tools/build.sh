#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds libheddle.so and the links to it in lib/drop-in, in build/release.
# Usage: tools/build.sh
# Called by `make build` and tools/demo.sh. What it needs is installed by tools/setup.sh --demo.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh
help_if_asked "$@"
[ $# = 0 ] || refuse
cmake -S . -B build/release -G Ninja -DCMAKE_BUILD_TYPE=Release -DHEDDLE_TESTS=OFF
cmake --build build/release
