# SPDX-License-Identifier: Apache-2.0
"""Trains scikit-learn's histogram boosting on ROWS samples, TREES rounds, and prints the time.

Run by manners.py in an interpreter that has scikit-learn. The check is the model's score.
"""

import json
import sys
import time

from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier


def main():
    rows, trees = int(sys.argv[1]), int(sys.argv[2])
    features, classes = make_classification(n_samples=rows, n_features=20, n_informative=8,
                                            random_state=7)
    model = HistGradientBoostingClassifier(max_iter=trees, early_stopping=False, random_state=7)
    HistGradientBoostingClassifier(max_iter=2, early_stopping=False).fit(features, classes)
    start = time.perf_counter()
    model.fit(features, classes)
    seconds = time.perf_counter() - start
    good = model.score(features, classes) > 0.7
    print(json.dumps({"seconds": seconds, "check": "ok" if good else "the model has learnt nothing"}))


if __name__ == "__main__":
    main()
