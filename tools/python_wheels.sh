#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trains and predicts with the numeric wheels of PyPI in one process, as they are and on Heddle.
# Usage: tools/python_wheels.sh FOLDER [libheddle.so] [option of tests/python/compare.py]...
# Installs them into FOLDER (7 GB, of it 5 for the CUDA libraries that PyTorch's wheel wants, GPU or
# not) and leaves them there for the next time. Needs python3 with venv. More in docs/python.md.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh
help_if_asked "$@"
[[ $# -ge 1 && $1 != -* ]] || refuse
folder=$1
library=${2:-build/release/lib/libheddle.so}
shift $(($# < 2 ? $# : 2))

# xgboost-cpu is xgboost without CUDA; MKL and PaddlePaddle bring Intel's OpenMP runtime along.
wheels=(numpy scipy scikit-learn lightgbm faiss-cpu xgboost-cpu mkl intel-openmp torch paddlepaddle)

if [ ! -e "$library" ]; then
    echo "python_wheels: no $library; tools/build.sh makes it" >&2
    exit 1
fi
mkdir -p "$folder"
[ -x "$folder/bin/python" ] || python3 -m venv "$folder"
# A wheel at a time: one that is not to be had here is reported and left out.
for wheel in "${wheels[@]}"; do
    "$folder/bin/python" -m pip show --quiet "$wheel" >/dev/null 2>&1 ||
        "$folder/bin/python" -m pip install --quiet --no-cache-dir "$wheel" ||
        echo "python_wheels: $wheel cannot be installed here" >&2
done
"$folder/bin/python" -m pip list 2>/dev/null | grep -E "^($(IFS='|'; echo "${wheels[*]}")) "
exec "$folder/bin/python" -B tests/python/compare.py "$library" "$@"
