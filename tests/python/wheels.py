#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Train and predict with every numeric wheel at hand, all of them in this one process.

Prints one JSON object: what each part computed, and how many threads of which library the process
had after it; at the end the list of threads and of the OpenMP runtimes that are mapped. Data are
small and made here, seeds are fixed. A wheel that is not installed is left out and named.
OMP_NUM_THREADS says how many threads each part asks for.

An array that must not depend on the order in which threads finish is given as its digest, any other
as up to 64 of its values and the relative error that its algorithm allows.
"""

import argparse
import ctypes
import hashlib
import importlib
import json
import os
import signal
import sys
import sysconfig
import threading
import time
import warnings
from pathlib import Path

if "--import-heddle" in sys.argv:
    import heddle  # noqa: F401  before all that brings a runtime along

import numpy

import process

warnings.filterwarnings("ignore")

THREADS = int(os.environ.get("OMP_NUM_THREADS", "0")) or len(os.sched_getaffinity(0))
CLIENTS = 3  # Python threads of the part `clients`
CLIENT_SECONDS = 120  # after which a client counts as lost
CHILD_SECONDS = 20  # after which a forked child counts as hung
SAMPLES = 64


def exact(array):
    array = numpy.ascontiguousarray(array)
    return {"shape": list(array.shape), "sha256": hashlib.sha256(array.tobytes()).hexdigest()}


def near(array, tolerance):
    flat = numpy.asarray(array, dtype=float).ravel()
    chosen = flat[numpy.linspace(0, flat.size - 1, min(flat.size, SAMPLES)).astype(int)]
    return {"shape": list(numpy.shape(array)), "sample": chosen.tolist(), "tolerance": tolerance}


def table(rows, columns, seed):
    """Features and a class (0 or 1) that depends on them."""
    generator = numpy.random.default_rng(seed)
    features = generator.standard_normal((rows, columns)).astype(numpy.float32)
    score = features[:, 0] * features[:, 1] + numpy.sin(3 * features[:, 2])
    return features, (score > 0).astype(numpy.int32)


def torch_part(torch):
    torch.set_num_threads(THREADS)
    torch.manual_seed(1)
    net = torch.nn.Sequential(
        torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Flatten(), torch.nn.Linear(8 * 14 * 14, 64), torch.nn.ReLU(),
        torch.nn.Linear(64, 10))
    images, labels = torch.randn(256, 1, 28, 28), torch.randint(0, 10, (256,))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    losses = []
    for _ in range(8):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        logits = net(images)
    matrix = torch.randn(600, 600)
    bags = torch.nn.EmbeddingBag(5000, 32, mode="sum")
    indices = torch.randint(0, 5000, (2000, 8))
    return {
        "losses": exact(numpy.array(losses)),
        "logits": exact(logits.numpy()),
        "matmul": exact((matrix @ matrix).numpy()),
        "softmax": exact(torch.softmax(matrix, 1).numpy()),
        "sort": exact(torch.sort(matrix, dim=1).values.numpy()),
        "sum": exact(matrix.exp().sum().numpy()),
        "embedding_bag": exact(bags(indices).detach().numpy()),
        "fft": exact(torch.view_as_real(torch.fft.fft2(matrix)).numpy()),
        "inverse": exact(torch.linalg.inv(matrix[:200, :200]).numpy()),
    }


def xgboost_part(xgboost):
    features, labels = table(6000, 20, 2)
    settings = {"max_depth": 6, "objective": "binary:logistic", "tree_method": "hist", "seed": 7,
                "nthread": THREADS, "subsample": 0.8}
    data = xgboost.DMatrix(features, labels)
    model = xgboost.train(settings, data, num_boost_round=20)
    settings["tree_method"] = "approx"
    other = xgboost.train(settings, data, num_boost_round=5)
    return {"hist": exact(model.predict(data)), "approx": exact(other.predict(data)),
            "contributions": near(model.predict(data, pred_contribs=True), 1e-5),
            "model": exact(numpy.frombuffer(model.save_raw("ubj"), dtype=numpy.uint8))}


def lightgbm_part(lightgbm):
    features, labels = table(6000, 20, 3)
    settings = {"objective": "binary", "num_leaves": 31, "seed": 5, "deterministic": True,
                "force_row_wise": True, "verbosity": -1, "num_threads": THREADS,
                "bagging_fraction": 0.8, "bagging_freq": 1}
    model = lightgbm.train(settings, lightgbm.Dataset(features, labels), num_boost_round=20)
    return {"predict": exact(model.predict(features)),
            "leaves": exact(model.predict(features, pred_leaf=True))}


def sklearn_part(_):
    from sklearn.cluster import KMeans
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.manifold import TSNE
    from sklearn.neighbors import KNeighborsClassifier

    features, labels = table(4000, 16, 4)
    boosting = HistGradientBoostingClassifier(max_iter=20, random_state=0).fit(features, labels)
    # KMeans adds up its centres in the order in which threads finish.
    means = KMeans(8, n_init=2, random_state=0).fit(features)
    neighbours = KNeighborsClassifier(5, algorithm="brute").fit(features, labels)
    embedded = TSNE(init="random", max_iter=250, random_state=0, n_jobs=THREADS)
    return {"boosting": exact(boosting.predict_proba(features)),
            "kmeans": near(means.inertia_, 1e-5),
            "neighbours": exact(neighbours.kneighbors(features[:500])[1]),
            "tsne": exact(embedded.fit_transform(features[:300]))}


def faiss_part(faiss):
    generator = numpy.random.default_rng(6)
    base = generator.random((8000, 32), dtype=numpy.float32)
    queries = generator.random((200, 32), dtype=numpy.float32)
    flat = faiss.IndexFlatL2(32)
    flat.add(base)
    distances, truth = flat.search(queries, 10)
    inverted = faiss.index_factory(32, "IVF32,PQ8x4")
    inverted.train(base)
    inverted.add(base)
    inverted.nprobe = 8
    codes, found = inverted.search(queries, 10)
    graph = faiss.IndexHNSWFlat(32, 16)
    graph.add(base)  # the links depend on the order in which threads insert
    _, reached = graph.search(queries, 10)
    recall = numpy.mean([len(set(a) & set(b)) / 10 for a, b in zip(truth, reached)])
    return {"flat": exact(truth), "flat_distances": exact(distances), "inverted": exact(found),
            "inverted_distances": exact(codes), "graph_recall": near(recall, 0.05)}


def mkl_part(_):
    """Intel's MKL by its C interface; its threaded layer is compiled by Intel's compiler."""
    library = next(Path(sysconfig.get_path("data"), "lib").glob("libmkl_rt.so.*"))
    mkl = ctypes.CDLL(str(library))
    mkl.MKL_Set_Threading_Layer(0)  # Intel's, by default too, unless somebody has loaded GOMP_*
    mkl.MKL_Set_Dynamic(0)
    mkl.MKL_Set_Num_Threads(THREADS)
    generator = numpy.random.default_rng(8)
    order, number, double = 101, ctypes.c_int, ctypes.c_double
    size = 500
    left, right = generator.random((size, size)), generator.random((size, size))
    product = numpy.zeros((size, size))
    mkl.cblas_dgemm(order, 111, 111, size, size, size, double(1), left.ctypes, size,
                    right.ctypes, size, double(0), product.ctypes, size)
    factors, pivots = left.copy(), numpy.zeros(size, numpy.int32)
    mkl.LAPACKE_dgetrf(order, size, size, factors.ctypes, size, pivots.ctypes)
    square = left @ left.T + size * numpy.eye(size)
    mkl.LAPACKE_dpotrf(order, ctypes.c_char(b"L"), size, square.ctypes, size)
    symmetric, values = left + left.T, numpy.zeros(size)
    mkl.LAPACKE_dsyevd(order, ctypes.c_char(b"V"), ctypes.c_char(b"L"), size, symmetric.ctypes,
                       size, values.ctypes)
    exponentials = numpy.zeros(size * size)
    mkl.vdExp(number(size * size), left.ctypes, exponentials.ctypes)
    return {"dgemm": near(product, 1e-12), "dgetrf": near(factors, 1e-8), "pivots": exact(pivots),
            "dpotrf": near(numpy.tril(square), 1e-10), "dsyevd": near(values, 1e-9),
            "exp": exact(exponentials)}


def paddle_part(paddle):
    paddle.seed(9)
    generator = numpy.random.default_rng(9)
    net = paddle.nn.Sequential(paddle.nn.Linear(32, 128), paddle.nn.ReLU(),
                               paddle.nn.Linear(128, 4))
    inputs = paddle.to_tensor(generator.random((512, 32), dtype=numpy.float32))
    labels = paddle.to_tensor(generator.integers(0, 4, 512))
    optimizer = paddle.optimizer.Adam(parameters=net.parameters())
    for _ in range(8):
        loss = paddle.nn.functional.cross_entropy(net(inputs), labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    matrix = paddle.to_tensor(generator.random((600, 600), dtype=numpy.float32))
    return {"logits": near(net(inputs).numpy(), 1e-4),
            "matmul": near((matrix @ matrix).numpy(), 1e-5)}


PARTS = {"torch": torch_part, "xgboost": xgboost_part, "lightgbm": lightgbm_part,
         "sklearn": sklearn_part, "faiss": faiss_part, "mkl": mkl_part, "paddle": paddle_part}


def clients_part(parts):
    """CLIENTS Python threads at once, each with all the wheels in turn. The threads are counted
    while the clients are alive: some runtimes keep a pool for each."""
    arrived, counted = threading.Barrier(CLIENTS + 1, timeout=CLIENT_SECONDS), threading.Event()
    results = [None] * CLIENTS

    def client(number):
        features, labels = table(2000, 10, 20 + number)
        mine = {}
        if "torch" in parts:
            left = parts["torch"].from_numpy(features)
            mine["torch"] = exact((left.T @ left).exp().sum(0).numpy())
        if "xgboost" in parts:
            data = parts["xgboost"].DMatrix(features, labels)
            model = parts["xgboost"].train({"max_depth": 3, "nthread": THREADS, "seed": 1}, data, 5)
            mine["xgboost"] = exact(model.predict(data))
        if "lightgbm" in parts:
            data = parts["lightgbm"].Dataset(features, labels)
            settings = {"objective": "binary", "deterministic": True, "force_row_wise": True,
                        "verbosity": -1, "num_threads": THREADS, "seed": 1}
            mine["lightgbm"] = exact(parts["lightgbm"].train(settings, data, 5).predict(features))
        if "faiss" in parts:
            index = parts["faiss"].IndexFlatL2(10)
            index.add(features)
            mine["faiss"] = exact(index.search(features[:300], 5)[1])
        results[number] = mine
        arrived.wait()
        counted.wait()

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    arrived.wait()
    census = process.census()
    counted.set()
    for thread in threads:
        thread.join()
        # Python's join is over a moment before the system's thread is, and gives back its workers.
        while Path(f"/proc/self/task/{thread.native_id}").exists():
            time.sleep(0.01)
    merged = {f"{name}_{number}": value for number, mine in enumerate(results)
              for name, value in mine.items()}
    return merged, census


def child_part(parts):
    """"done" if a forked child can use the wheels that this process has used, else what it did."""
    child = os.fork()
    if child == 0:
        features, _ = table(2000, 10, 30)
        if "lightgbm" in parts:
            data = parts["lightgbm"].Dataset(features, features[:, 0])
            parts["lightgbm"].train({"verbosity": -1, "num_threads": THREADS}, data, 3)
        if "faiss" in parts:
            index = parts["faiss"].IndexFlatL2(10)
            index.add(features)
            index.search(features, 5)
        os._exit(0)
    for _ in range(CHILD_SECONDS * 10):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return "done" if status == 0 else f"ended with wait status {status}"
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return f"hung for {CHILD_SECONDS} seconds"


def load(names):
    """{name: module} of those that are installed. MKL is a library, not a module."""
    found = {}
    for name in names:
        if name == "mkl":
            if any(Path(sysconfig.get_path("data"), "lib").glob("libmkl_rt.so.*")):
                found[name] = None
            continue
        try:
            found[name] = importlib.import_module(name)
        except ImportError as error:
            print(f"wheels: no {name}: {error}", file=sys.stderr)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", default=",".join(PARTS), help="comma-separated, in this order")
    parser.add_argument("--child", action="store_true", help="use them in a forked child, too")
    parser.add_argument("--import-heddle", action="store_true", help="before all other imports")
    arguments = parser.parse_args()
    names = arguments.parts.split(",")
    parts = load(names)
    report = {"threads": THREADS, "missing": [name for name in names if name not in parts],
              "imported": process.census(), "parts": {}}
    for name, module in parts.items():
        print(f"wheels: {name}", file=sys.stderr, flush=True)
        report["parts"][name] = {"results": PARTS[name](module), "census": process.census()}
    for name in ("clients", "more clients"):  # a pool does not grow with the second generation
        results, census = clients_part(parts)
        report["parts"][name] = {"results": results, "census": census}
    if arguments.child:
        report["child"] = child_part(parts)
    report["runtimes"] = process.runtimes()
    report["thread_list"] = process.threads()
    json.dump(report, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
