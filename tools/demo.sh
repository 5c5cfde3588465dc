#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh Debian 12 to a comparison with libgomp: installs what is missing, builds, measures.
# Usage: tools/demo.sh
# Called by `make demo`, and by hand where there is no make. Needs root or sudo to install something.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh
help_if_asked "$@"
[ $# = 0 ] || refuse
tools/setup.sh --demo

echo "demo: building build/release/lib/libheddle.so"
mkdir -p build
if ! tools/build.sh >build/release.log 2>&1; then
    tail -n 40 build/release.log
    echo "demo: the build failed, see build/release.log" >&2
    exit 1
fi

echo "demo: comparing, for about a minute"
python3 bench/run.py --demo
echo
echo "Your own program: LD_PRELOAD=$PWD/build/release/lib/libheddle.so your-program"
