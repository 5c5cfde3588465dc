#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh Debian 12 to tested configurations: installs what is missing, builds, runs the tests.
# Usage: tools/test.sh [release|debug|thread|address|aarch64]...   (default: all five)
# Called by `make test`, by .ci/run, and by hand. Needs root or sudo only to install something.
# The output ends with the closing lines of each test run; the exit status tells.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh
help_if_asked "$@"
for name; do
    case $name in
        release | debug | thread | address | aarch64) ;;
        *) refuse ;;
    esac
done
tools/setup.sh --test
exec tools/run_tests.sh "$@"
