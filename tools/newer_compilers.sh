#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs libgomp's and LLVM's own tests, compiled by newer compilers than Debian 12's, on their own runtime and on Heddle.
# Usage: tools/newer_compilers.sh FOLDER [libheddle.so] [gcc-13|...|gcc-17|clang-22]...
# Installs Debian systems of their own into FOLDER (8 GB) and leaves them there for the next time. Needs root.
# Which tests may differ is told in tests/conformance/expected/exceptions-compared.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh
help_if_asked "$@"
[[ $# -ge 1 && $1 != -* ]] || refuse
mkdir -p "$1"
folder=$(realpath "$1")
library=$(realpath "${2:-build/release/lib/libheddle.so}")
shift $(($# < 2 ? $# : 2))
compilers=("${@:-gcc-13 gcc-14 gcc-15 gcc-16 gcc-17 clang-22}")
gomp_suites="libgomp-c libgomp-common libgomp-c++ libgomp-fortran"
failed=0

die() { echo "newer_compilers: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || die "only root can make a system of its own"
[ -e "$library" ] || die "no $library; tools/build.sh makes it"
[ -e "$(dirname "$library")/drop-in" ] || die "no drop-in folder beside $library"
command -v debootstrap >/dev/null || apt-get -qq install --yes --no-install-recommends debootstrap >/dev/null

mirror=$(apt-get indextargets --format '$(SITE)' "Created-By: Packages" "Origin: Debian" "Label: Debian" | head -n 1)
[ -n "$mirror" ] || die "apt has no Debian mirror"

# Runs a command in a system, which sees the project and the library; the mounts end with it.
inside() {
    local root=$1
    shift
    mkdir -p "$root/heddle/project" "$root/heddle/lib" "$root/heddle/cache"
    unshare --mount bash -c '
        mount --bind /proc "$1/proc" && mount --bind /dev "$1/dev" &&
            mount --bind "$2" "$1/heddle/project" && mount --bind "$3" "$1/heddle/lib" || exit 1
        root=$1
        shift 3
        exec chroot "$root" env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"
    ' inside "$root" "$PWD" "$(dirname "$library")" "$@"
}

# A system of a Debian release with these packages. A release that is long unchanged may count as expired.
prepare() {
    local release=$1 root=$folder/$1
    shift
    if [ ! -e "$root/heddle/made" ]; then
        rm -rf "$root"
        debootstrap --variant=minbase "$release" "$root" "$mirror" >"$folder/$release.log" 2>&1 ||
            die "debootstrap $release failed: see $folder/$release.log"
        printf 'deb %s %s main\ndeb-src %s %s main\n' "$mirror" "$release" "$mirror" "$release" \
            >"$root/etc/apt/sources.list"
        echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/90heddle"
        inside "$root" apt-get -qq update
        touch "$root/heddle/made"
    fi
    inside "$root" apt-get -qq install --yes --no-install-recommends python3 binutils "$@" >>"$folder/$release.log" 2>&1 ||
        die "apt-get install $* failed: see $folder/$release.log"
}

# The closing lines, and before them each test that differs.
compare() {
    local root=$folder/$1 compiler=$2 suite=$3
    shift 3
    echo "== $compiler, $suite"
    inside "$root" HEDDLE_CACHE=/heddle/cache python3 -B /heddle/project/tests/conformance/run.py compare \
        --suite "$suite" --compiler "$compiler" "$@" || failed=1
}

# The release to come, under the names that it will have; its suite is gcc 16's until there are sources of it.
name_snapshot() {
    local root=$1 name
    for name in gcc g++ gfortran; do
        printf '#!/bin/sh\nexec /usr/lib/gcc-snapshot/bin/%s -foffload=disable -Wl,-rpath,/usr/lib/gcc-snapshot/lib "$@"\n' \
            $name >"$root/usr/local/bin/$name-17"
        chmod +x "$root/usr/local/bin/$name-17"
    done
}

fetch() { inside "$folder/$1" HEDDLE_CACHE=/heddle/cache python3 -B /heddle/project/tests/conformance/run.py fetch "$2"; }

for compiler in ${compilers[*]}; do
    version=${compiler#*-}
    case $compiler in
        gcc-13 | gcc-14) release=trixie ;;
        gcc-* | clang-*) release=sid ;;
        *) die "no such compiler: $compiler" ;;
    esac
    if [ "${compiler%-*}" = gcc ]; then
        tests=gcc-$version
        if [ "$version" = 17 ]; then
            prepare "$release" gcc-snapshot
            name_snapshot "$folder/$release"
            tests=gcc-16
        else
            prepare "$release" "gcc-$version" "g++-$version" "gfortran-$version"
        fi
        fetch "$release" "$tests"
        for suite in $gomp_suites; do
            compare "$release" "$compiler" "$suite" --src "/heddle/cache/conformance/$tests" \
                --preload /heddle/lib/libheddle.so --strict-symbols
        done
    else
        prepare "$release" "clang-$version" "flang-$version" "libomp-$version-dev" "llvm-$version-tools" gcc g++
        fetch "$release" "llvm-$version"
        fetch "$release" gcc-16
        compare "$release" "$compiler" llvm --libdir /heddle/lib/drop-in
        for suite in $gomp_suites; do
            compare "$release" "$compiler" "$suite" --src /heddle/cache/conformance/gcc-16 \
                --preload /heddle/lib/libheddle.so
        done
    fi
done
exit $failed
