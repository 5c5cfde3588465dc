#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the documentation site from docs/: installs Sphinx where it is missing, and builds.
# Usage: tools/docs.sh [FOLDER]   (build/docs; begin at FOLDER/index.html)
# Called by `make docs`, by ctest, and by hand. A link that leads nowhere, or a page that the
# navigation in docs/index.md does not have, is an error. Needs root or sudo only to install.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh
help_if_asked "$@"
[[ $# -le 1 && ${1-} != -* ]] || refuse
folder=${1:-build/docs}
tools/setup.sh --docs
mkdir -p "$folder"
sphinx-build -q -W --keep-going -b html -c docs/site -d "$folder/.doctrees" . "$folder"
echo '<!doctype html><meta charset="utf-8"><title>Heddle</title>' \
    '<meta http-equiv="refresh" content="0; url=docs/index.html">' \
    '<a href="docs/index.html">Heddle</a>' >"$folder/index.html"
echo "docs: $folder/index.html"
