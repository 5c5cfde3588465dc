# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's wheel, which bundles its own libgomp, computes the same numbers on Heddle.

The wheel is installed into a virtual environment in the cache on first use. Run by ctest.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import preload

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements.txt"
PROGRAM = HERE / "train_boosting.py"
INSTALL_TIMEOUT = 600
EXTENSIONS = "/sklearn/"


def environment_python():
    """The interpreter of an environment that holds exactly the requirements."""
    key = hashlib.sha256(sys.version.encode() + REQUIREMENTS.read_bytes()).hexdigest()[:12]
    folder = preload.cache_folder() / f"scikit-learn-{key}"
    ready = folder / "installed"
    if not ready.is_file():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=INSTALL_TIMEOUT)
        subprocess.run([folder / "bin/pip", "install", "--quiet", "--only-binary", ":all:",
                        "--requirement", REQUIREMENTS], check=True, timeout=INSTALL_TIMEOUT)
        ready.touch()
    return folder / "bin/python3"


class HistGradientBoosting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = environment_python()

    def test_same_model_to_the_last_bit(self):
        native, ours = (preload.run([self.python, PROGRAM], preload=with_heddle)
                        for with_heddle in (False, True))
        self.assertEqual(ours.stderr, native.stderr)
        expected = json.loads(native.stdout)
        self.assertGreater(float(expected["score"]), 0.6, "the model has learnt nothing")
        self.assertEqual(json.loads(ours.stdout), expected)

    def test_the_wheels_openmp_symbols_are_heddles(self):
        bindings = preload.openmp_bindings([self.python, PROGRAM])
        users = {Path(user).name for (user, symbol), bound in bindings.items()
                 if EXTENSIONS in user and symbol == "GOMP_parallel" and bound == preload.LIBRARY}
        self.assertTrue(any("histogram" in name for name in users), users)
        self.assertEqual(preload.strangers(bindings, EXTENSIONS), [])


if __name__ == "__main__":
    unittest.main()
