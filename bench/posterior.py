"""The experiments of docs/results/posterior-experiments.md: what a draw costs beside other private minimisers.

    make build && python3 bench/posterior.py build/sotto OUT [--only crossing|beside|cover] [--runs 5]

    crossing   excess loss against the dimension: the pure continuous exponential mechanism on a ball, the regularised one,
               noisy gradient descent, objective perturbation; the same rows, the same epsilon
    beside     30000 rows of 20 and of 100 features: the regularised exponential mechanism at several lambdas beside output
               and objective perturbation, with seconds
    cover      how often intervals of 19 draws of `posterior` hold the true probability of a new row, and how wide they are

Rows are drawn, |x| <= 1: one feature matters, uniform between -sqrt(1/2) and sqrt(1/2), with the coefficient 4 of a logistic model; the
others are a direction of length sqrt(1/2) and say nothing. So the problem is as hard in every dimension but for the noise. The loss is
the mean logistic loss on the rows that were trained on; its excess is over the least possible. Every training runs `sotto train`
with fresh noise; OUT keeps what was found, and what is there is not trained again. Prints Markdown tables and writes
OUT/crossing.svg. Needs NumPy.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np

DELTA = "1e-6"
NORM = 4.0
SHARE = math.sqrt(0.5) * (1.0 - 1e-6)  # of a row's length; no row is clipped
CROSSING_ROWS = 4000
DIMENSIONS = (2, 5, 10, 20, 50, 100, 200, 400)
# Of the ball: what a curator who knows that the coefficients are not longer would declare.
BALL = 5.0
CROSSING = {
    "pure exponential mechanism": f"--method regularized-em --radius {BALL}",
    "regularised exponential mechanism": f"--method regularized-em --radius {BALL} --delta {DELTA}",
    "noisy gradient descent": f"--method gd --delta {DELTA} --radius {BALL}",
    "objective perturbation": f"--method objective --delta {DELTA} --radius {BALL}",
}
LAMBDAS = {"regularized-em": (10, 30, 100, 300), "output": (3, 10, 30, 100, 300),
           "objective": (1, 3, 10, 30, 100)}


# ---- rows ----

def rows(count, dimension, seed):
    """One feature that matters, and directions that do not; labels by chance, as the logistic model says."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(count, dimension))
    x[:, 1:] *= SHARE / np.linalg.norm(x[:, 1:], axis=1, keepdims=True)
    x[:, 0] = SHARE * random.uniform(-1.0, 1.0, size=count)
    y = np.where(random.uniform(size=count) < 1.0 / (1.0 + np.exp(-NORM * x[:, 0])), 1.0, -1.0)
    return x, y


def loss(x, y, theta):
    return float(np.mean(np.logaddexp(0.0, -y * (x @ theta))))


def least_loss(x, y):
    """By Newton's method; the rows are public here."""
    theta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(y * (x @ theta)))
        gradient = -x.T @ (p * y)
        hessian = (x.T * (p * (1.0 - p))) @ x + 1e-9 * np.eye(x.shape[1])
        step = np.linalg.solve(hessian, gradient)
        theta -= step
        if np.linalg.norm(step) < 1e-10:
            break
    return loss(x, y, theta)


# ---- trainings ----

class Bench:
    def __init__(self, args):
        self.sotto, self.out, self.runs = args.sotto, args.out, args.runs
        self.out.mkdir(parents=True, exist_ok=True)

    def problem(self, count, dimension, seed=1):
        """Files of the rows, and what is known of them."""
        name = self.out / f"rows-{count}-{dimension}"
        x, y = rows(count, dimension, seed)
        if not name.with_suffix(".json").exists():
            np.save(name.with_suffix(".npy"), x)
            np.save(self.out / f"{name.name}-labels.npy", y)
            name.with_suffix(".json").write_text(json.dumps({
                "features": dimension, "labels": [-1, 1], "intercept": 0,
                "row_norm": {"bound": 1.0, "rule": "clip"}}))
        return name, x, y, least_loss(x, y)

    def train(self, name, problem, options, run):
        """(excess loss, seconds) of one training; kept in a file."""
        files, x, y, least = problem
        kept = self.out / f"{files.name}-{name}-{run}.txt"
        if not kept.exists():
            model = kept.with_suffix(".json")
            started = time.perf_counter()
            subprocess.run([self.sotto, "train", f"{files}.npy", "--labels", f"{files}-labels.npy", "--schema",
                            f"{files}.json", "--model", "logistic", "--epsilon", "1", "--expected-rows", str(len(x)),
                            *options.split(), "-o", str(model)], check=True, stdout=subprocess.DEVNULL)
            seconds = time.perf_counter() - started
            theta = np.array([float.fromhex(text) for text in json.loads(model.read_text())["coefficients"]])
            kept.write_text(f"{loss(x, y, theta) - least} {seconds}\n")
        return tuple(float(part) for part in kept.read_text().split())

    def repeat(self, name, problem, options):
        found = [self.train(name, problem, options, run) for run in range(1, self.runs + 1)]
        return [excess for excess, _ in found], min(seconds for _, seconds in found)


def spread(values):
    """Mean of the runs, and the standard deviation of one."""
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.2g} ± {deviation:.1g}"


def table(heads, lines):
    print("\n| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for line in lines:
        print("| " + " | ".join(line) + " |", flush=True)
    print()


# ---- the experiments ----

def crossing(bench):
    means = {name: [] for name in CROSSING}
    lines = []
    for dimension in DIMENSIONS:
        problem = bench.problem(CROSSING_ROWS, dimension)
        cells = [str(dimension)]
        for name, options in CROSSING.items():
            found, _ = bench.repeat(name.replace(" ", "-"), problem, options)
            means[name].append(statistics.mean(found))
            cells.append(spread(found))
        zero = loss(problem[1], problem[2], np.zeros(dimension)) - problem[3]
        lines.append([*cells, f"{zero:.4f}"])
    table(["d", *CROSSING, "theta = 0"], lines)
    (bench.out / "crossing.svg").write_text(plot(means), encoding="utf-8")


def beside(bench):
    for dimension in (20, 100):
        problem = bench.problem(30000, dimension)
        lines = []
        for method, lambdas in LAMBDAS.items():
            for value in lambdas:
                found, seconds = bench.repeat(f"{method}-{value}", problem,
                                              f"--method {method} --lambda {value} --delta {DELTA}")
                lines.append([method, str(value), spread(found), f"{seconds:.1f}"])
        zero = loss(problem[1], problem[2], np.zeros(dimension)) - problem[3]
        print(f"n = 30000, d = {dimension}, epsilon = 1, delta = {DELTA}; always theta = 0: {zero:.4f}")
        table(["method", "lambda", "excess loss", "seconds, the fastest run"], lines)


def cover(bench):
    count, dimension, fresh = 2000, 5, 400
    files, _, _, _ = problem = bench.problem(count, dimension)
    x, _ = rows(fresh, dimension, 2)
    np.save(bench.out / "fresh.npy", x)
    truth = 1.0 / (1.0 + np.exp(-NORM * x[:, 0]))
    lines = []
    for epsilon in (1, 2, 4):
        held, width, misses = [], [], []
        for run in range(1, bench.runs + 1):
            model = bench.out / f"cover-{epsilon}-{run}.json"
            if not model.exists():
                subprocess.run([bench.sotto, "train", f"{files}.npy", "--labels", f"{files}-labels.npy", "--schema",
                                f"{files}.json", "--model", "logistic", "--method", "posterior", "--draws", "19", "--lambda",
                                "1", "--epsilon", str(epsilon), "--delta", DELTA, "-o", str(model)], check=True,
                               stdout=subprocess.DEVNULL)
            found = json.loads(subprocess.run([bench.sotto, "predict", str(model), str(bench.out / "fresh.npy"), "--interval",
                                               "0.9", "--json"], check=True, capture_output=True).stdout)["predictions"]
            lower, upper, said = (np.array([row[key] for row in found]) for key in ("lower", "upper", "probability"))
            held.append(float(np.mean((lower <= truth) & (truth <= upper))))
            width.append(float(np.mean(upper - lower)))
            misses.append(float(np.sqrt(np.mean((said - truth)**2))))
        lines.append([str(epsilon), f"{100 * statistics.mean(held):.0f} ± {100 * statistics.stdev(held):.0f} %",
                      f"{statistics.mean(width):.2f}", f"{statistics.mean(misses):.3f}"])
    print(f"n = {len(problem[2])}, d = {dimension}, delta = {DELTA}, lambda = 1, 19 draws, level 0.9, {fresh} fresh rows")
    table(["epsilon", "true probability held", "mean width", "error of the mean prediction"], lines)


# ---- the plot ----

COLOURS = ("#c0392b", "#2a6f97", "#6a994e", "#8d6b94")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 440, 70, 250, 30, 50


def plot(means):
    """Excess loss against the dimension, both logarithmic, with the slopes 1 and 1/2."""
    values = [value for series in means.values() for value in series if value > 0.0]
    low, high = math.floor(math.log10(min(values)) * 2) / 2, math.ceil(math.log10(max(values)) * 2) / 2
    first, last = math.log10(DIMENSIONS[0]), math.log10(DIMENSIONS[-1])

    def at(dimension, value):
        x = LEFT + (math.log10(dimension) - first) / (last - first) * (WIDTH - LEFT - RIGHT)
        y = HEIGHT - BOTTOM - (math.log10(value) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)
        return f"{x:.1f},{y:.1f}"

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" '
             + 'role="img"><title>Excess loss against the dimension</title>',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>']
    for dimension in DIMENSIONS:
        x = at(dimension, 10**low).split(",")[0]
        parts.append(f'<path d="M{x} {TOP}V{HEIGHT - BOTTOM}" stroke="#e5e5e5"/>'
                     f'<text x="{x}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{dimension}</text>')
    for step in range(math.ceil(low), math.floor(high) + 1):
        y = at(DIMENSIONS[0], 10.0**step).split(",")[1]
        parts.append(f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="#e5e5e5"/>'
                     f'<text x="{LEFT - 6}" y="{y}" text-anchor="end" dominant-baseline="middle">{10.0**step:g}</text>')
    for place, (name, series) in enumerate(means.items()):
        points = [at(dimension, value) for dimension, value in zip(DIMENSIONS, series) if value > 0.0]
        colour = COLOURS[place]
        parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{point.split(",")[0]}" cy="{point.split(",")[1]}" r="3" fill="{colour}"/>'
                  for point in points]
        parts.append(f'<text x="{WIDTH - RIGHT + 12}" y="{TOP + 20 + 20 * place}" fill="{colour}">{name}</text>')
    for slope, text in ((1.0, "slope 1"), (0.5, "slope 1/2")):
        start = 10.0**(low + 0.1)
        end = start * (DIMENSIONS[-1] / DIMENSIONS[0])**slope
        if math.log10(end) > high:
            end = 10.0**high
        reach = DIMENSIONS[0] * (end / start)**(1.0 / slope)
        first_point, last_point = at(DIMENSIONS[0], start), at(reach, end)
        parts.append(f'<path d="M{first_point}L{last_point}" stroke="#999999" stroke-dasharray="4 4"/>'
                     f'<text x="{last_point.split(",")[0]}" y="{last_point.split(",")[1]}" fill="#777777">{text}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">dimension</text>'
                 f'<text x="{LEFT}" y="{TOP - 10}">excess loss</text></svg>\n')
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sotto", help="the command")
    parser.add_argument("out", type=pathlib.Path, help="directory for rows and results")
    parser.add_argument("--only", choices=("crossing", "beside", "cover"))
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    if args.runs < 1:
        sys.exit("posterior: --runs is at least 1")
    bench = Bench(args)
    for name, experiment in (("crossing", crossing), ("beside", beside), ("cover", cover)):
        if args.only in (None, name):
            experiment(bench)


if __name__ == "__main__":
    main()
