"""Measure peers beside our samplers, in one run, on one core.

Run it with the Python of an environment that has numpy and opendp, for example

    python3 -m venv VENV && VENV/bin/pip install numpy opendp
    VENV/bin/python bench/peers_random.py build/release/bench/bench_random

The argument is the benchmark program. Prints one JSON line per comparison; a ratio above 1 means
that ours is faster. Times are processor times, the best of several rounds. What differs: OpenDP's
noise is exact as ours, but is called through Python once per vector; NumPy's standard_normal is a
double-precision ziggurat on a generator that is not cryptographic, and its results are not rounded
to a grid.
"""

import importlib.metadata
import json
import subprocess
import sys
import time


def best_seconds(action, rounds=5):
    """The least processor time of several runs of `action`; bench_random measures the same."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def ours(program):
    """(bench, sigma) -> draws per second; the program checks its own answers."""
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    rates = {}
    for line in output.splitlines():
        row = json.loads(line)
        if not row["checked"]:
            sys.exit(f"{row['bench']} failed its own check")
        rates[row["bench"], row["sigma"]] = row["draws_per_second"]
    return rates


def numpy_normal():
    """Draws per second of standard_normal into a buffer that stays in the cache, as ours does."""
    import numpy

    generator = numpy.random.default_rng(1)
    out = numpy.empty(1 << 16)

    def fill():
        for _ in range(40):
            generator.standard_normal(out=out)

    seconds = best_seconds(fill)
    if not 0.9 < out.std() < 1.1:
        sys.exit("standard_normal failed its check")
    return 40 * out.size / seconds


def opendp_discrete_gaussian(sigma, count=20000):
    """Draws per second of one vector-valued call."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    measurement = dp.m.make_gaussian(domain, dp.l2_distance(T="f64"), scale=sigma)
    zeros = [0] * count
    noise = measurement(zeros)
    variance = sum(value * value for value in noise) / count
    if not 0.9 < variance / sigma**2 < 1.1:
        sys.exit("OpenDP's noise failed its check")
    return count / best_seconds(lambda: measurement(zeros), rounds=3)


def report(name, sigma, our_rate, peer, peer_rate):
    print(json.dumps({
        "bench": name, "sigma": sigma, "draws_per_second": our_rate,
        "peer": f"{peer} {importlib.metadata.version(peer)}",
        "peer_draws_per_second": float(f"{peer_rate:.4g}"),
        "ratio": round(our_rate / peer_rate, 2)}))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: peers_random.py PATH_OF_bench_random")
    before = numpy_normal()
    rates = ours(sys.argv[1])
    normal = max(before, numpy_normal())
    for (name, sigma), rate in rates.items():
        if name in ("rounded_gaussian", "rounded_gaussian_portable", "normal_double"):
            report(name, sigma, rate, "numpy", normal)
    for sigma in (5.0, 1000.0):
        peer = opendp_discrete_gaussian(sigma)
        report("discrete_gaussian", sigma, rates["discrete_gaussian", sigma], "opendp", peer)
        report("discrete_gaussian_reference", sigma,
               rates["discrete_gaussian_reference", sigma], "opendp", peer)


if __name__ == "__main__":
    main()
