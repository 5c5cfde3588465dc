# SPDX-License-Identifier: Apache-2.0
"""Train and predict with scikit-learn's histogram boosting, and print every number as it is.

Run by test_scikit_learn.py in the environment of requirements.txt, with and without Heddle.
"""

import hashlib
import json

import numpy
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier

ROWS, TRAINED = 6000, 4500


def main():
    features, classes = make_classification(n_samples=ROWS, n_features=20, n_informative=8,
                                            n_classes=3, random_state=7)
    model = HistGradientBoostingClassifier(max_iter=25, random_state=7)
    model.fit(features[:TRAINED], classes[:TRAINED])
    probabilities = model.predict_proba(features[TRAINED:])
    predictions = model.predict(features[TRAINED:])
    print(json.dumps({
        "score": repr(float(model.score(features[TRAINED:], classes[TRAINED:]))),
        "predictions": [int(number) for number in predictions],
        "probabilities": [repr(float(number)) for number in numpy.ravel(probabilities)],
        "bytes": hashlib.sha256(probabilities.tobytes()).hexdigest(),
    }))


if __name__ == "__main__":
    main()
