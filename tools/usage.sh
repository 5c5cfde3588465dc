# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What a script of this folder says of itself: the comment at its beginning.
# Sourced by the scripts, at the top of the tree.

usage() { sed -n '3,/^[^#]/s/^# \{0,1\}//p' "tools/${0##*/}"; }

# Prints it, and ends the script, if one of the arguments asks for that.
help_if_asked() {
    local argument
    for argument; do
        case $argument in -h | --help) usage; exit 0 ;; esac
    done
}

# Ends the script whose arguments are wrong.
refuse() { usage >&2; exit 2; }
