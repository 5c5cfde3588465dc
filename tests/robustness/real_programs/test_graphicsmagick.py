# SPDX-License-Identifier: Apache-2.0
"""Debian's GraphicsMagick, built with gcc -fopenmp, gives the same pixels on Heddle.

Needs `gm` (package graphicsmagick); a missing gm is a failure, not a skip. Run by ctest.
"""

import shutil
import tempfile
import unittest
from pathlib import Path

import preload

PICTURE = ["-size", "480x360", "plasma:fractal"]
# Filters with parallel loops whose result does not depend on random numbers.
FILTERS = ["-blur 0x2", "-sharpen 0x1.5", "-unsharp 0x2", "-despeckle", "-median 2", "-enhance",
           "-edge 1", "-emboss 0x1", "-charcoal 1", "-motion-blur 0x4+30", "-resize 50%",
           "-resize 150%", "-rotate 17", "-shear 10x5", "-implode 0.4", "-swirl 60", "-wave 5x40",
           "-normalize", "-equalize", "-modulate 110,90,100", "-colorspace gray", "-gamma 1.4",
           "-ordered-dither all 3x3", "-noise 2", "-segment 1x1.5", "-paint 2"]


class GraphicsMagick(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gm = shutil.which("gm")
        if not cls.gm:
            raise FileNotFoundError("gm is not installed: run tools/setup.sh --test")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.picture = Path(cls.folder.name) / "picture.miff"
        preload.run([cls.gm, "convert", *PICTURE, cls.picture], preload=False)

    def filtered(self, options, with_heddle):
        """The picture's bytes (PPM: no dates, no comments) after the filter."""
        output = Path(self.folder.name) / "out.ppm"
        output.unlink(missing_ok=True)
        command = [self.gm, "convert", self.picture, *options.split(), output]
        done = preload.run(command, preload=with_heddle)
        self.assertEqual(done.stderr, "", options)
        return output.read_bytes()

    def test_filters_give_the_same_bytes(self):
        for options in FILTERS:
            with self.subTest(options):
                native, ours = (self.filtered(options, with_heddle) for with_heddle in (0, 1))
                self.assertTrue(native)
                self.assertTrue(native == ours, "the pixels differ")

    def test_its_openmp_symbols_are_heddles(self):
        output = Path(self.folder.name) / "bound.ppm"
        bindings = preload.openmp_bindings([self.gm, "convert", self.picture, "-blur", "0x2", output])
        bound = {symbol: file for (user, symbol), file in bindings.items()
                 if "libGraphicsMagick" in user}
        self.assertEqual(bound.get("GOMP_parallel"), preload.LIBRARY)
        self.assertEqual(preload.strangers(bindings, "libGraphicsMagick"), [])


if __name__ == "__main__":
    unittest.main()
