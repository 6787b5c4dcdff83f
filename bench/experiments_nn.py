"""The experiments of docs/results/network-experiments.md: what matters when a network learns under noise.

    make build && python3 bench/experiments_nn.py build/sotto DATA OUT [--only NAME] [--runs 2]

    activation    tanh against ReLU, the same network otherwise
    width         hidden units of an MLP: more of them, more noise
    laplace       Laplace noise on the weights of a network that was trained without privacy
    digits        beginning with weights learned on other, public characters (USPS, Omniglot), and freezing them
    photographs   a part of CIFAR-10 is declared public, and the rest is private

DATA is as for bench/results_nn.py, with usps/ and omniglot-small/ beside. Every training runs `sotto train`
with fresh noise, and is scored once on the test rows; OUT keeps models and scores, and what is there is not
trained again. Prints a Markdown table an experiment.
"""

import argparse
import copy
import gzip
import json
import math
import pathlib
import random
import statistics
import struct
import sys

import results_nn

DELTA = "1e-5"


class Bench:
    def __init__(self, args):
        self.sotto, self.data, self.out, self.runs = args.sotto, args.data, args.out, args.runs

    def files(self, name):
        found = results_nn.files_of(name, self.data, self.out)
        if found is None:
            sys.exit(f"experiments_nn: no {name} in {self.data}")
        return found

    def train(self, name, rows, schema, options):
        """The model's path; it is trained unless it is there."""
        model = self.out / f"{name}.json"
        if not model.exists():
            results_nn.run([self.sotto, "train", *results_nn.with_labels("--labels", rows), "--schema",
                            str(schema), *options.split(), "-o", str(model)])
        return model

    def accuracy(self, model, rows):
        score = model.with_suffix(".score")
        if not score.exists():
            score.write_text(results_nn.run(
                [self.sotto, "evaluate", str(model), *results_nn.with_labels("--labels", rows),
                 "--data-is-public", "--json"]))
        return json.loads(score.read_text())["accuracy"]

    def private(self, name, files, schema, rows, epsilon, options):
        """Mean accuracy of several private trainings."""
        full = f"{options} --epsilon {epsilon} --delta {DELTA} --expected-rows {rows}"
        found = [self.accuracy(self.train(f"{name}-{k}", files[0], schema, full), files[1])
                 for k in range(1, self.runs + 1)]
        return statistics.mean(found), full

    def network(self, name, layers):
        path = self.out / f"{name}.net.json"
        path.write_text(json.dumps({"kind": "network", "version": 1, "layers": layers, "loss": "softmax"}))
        return path


def table(title, heads, rows):
    print(f"\n### {title}\n\n| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for row in rows:
        print("| " + " | ".join(f"{100 * cell:.1f} %" if isinstance(cell, float) else str(cell)
                                for cell in row) + " |", flush=True)


def small_cnn(activation):
    conv = {"type": "conv2d", "stride": 2}
    pool = {"type": "max-pool", "size": 2, "stride": 1}
    act = {"type": activation}
    return [{**conv, "channels": 16, "kernel": 8, "padding": 2}, act, pool,
            {**conv, "channels": 32, "kernel": 4}, act, pool, {"type": "flatten"},
            {"type": "dense", "units": 32}, act, {"type": "dense", "units": "outputs"}]


def activation(bench):
    files, schema, rows = bench.files("mnist"), results_nn.schema_of("mnist"), []
    for name in ("tanh", "relu"):
        net = bench.network(f"cnn-{name}", small_cnn(name))
        mean, options = bench.private(f"activation-{name}", files, schema, 60000, 1,
                                      f"--model {net} --epochs 15")
        rows.append((name, mean))
    table("tanh against ReLU: MNIST, the CNN, 15 epochs, epsilon 1", ("activation", "accuracy"), rows)


def width(bench):
    files, schema, rows = bench.files("mnist"), results_nn.schema_of("mnist"), []
    for units in (8, 32, 128, 512):
        net = bench.network(f"mlp-{units}", [{"type": "flatten"}, {"type": "dense", "units": units}, {"type": "tanh"},
                                             {"type": "dense", "units": "outputs"}])
        cells = [units, units * 785 + 10 * (units + 1)]
        for epsilon in (0.3, 1, 3):
            cells.append(bench.private(f"width-{units}-{epsilon}", files, schema, 60000, epsilon,
                                       f"--model {net}")[0])
        cells.append(bench.accuracy(bench.train(f"width-{units}-plain", files[0], schema,
                                                f"--model {net} --method none --data-is-public "
                                                "--expected-rows 60000"), files[1]))
        rows.append(cells)
    table("Width against noise: MNIST, one hidden layer", ("hidden units", "parameters", "epsilon 0.3",
          "epsilon 1", "epsilon 3", "no noise"), rows)


def noisy_weights(bench, model, scale, seed):
    """The model with Laplace noise of that scale on every weight."""
    content = copy.deepcopy(model)
    rng = random.Random(seed)
    for layer in content["coefficients"]:
        for i, weight in enumerate(layer):
            noise = scale * rng.expovariate(1) * rng.choice((-1, 1))
            value = struct.unpack("f", struct.pack("f", float.fromhex(weight) + noise))[0]
            layer[i] = shortest_hex(value)
    path = bench.out / f"laplace-{scale:g}.json"
    path.write_text(json.dumps(content))
    path.with_suffix(".score").unlink(missing_ok=True)
    return path


def shortest_hex(value):
    """A float as C's printf("%a") writes it."""
    mantissa, power = value.hex().split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}p{power}"


def laplace(bench):
    files, schema = bench.files("mnist"), results_nn.schema_of("mnist")
    plain = bench.train("laplace-plain", files[0], schema,
                        "--model mlp --method none --data-is-public --expected-rows 60000")
    model = json.loads(plain.read_text())
    weights = [float.fromhex(w) for layer in model["coefficients"] for w in layer]
    most = max(map(abs, weights))
    needed = 2 * most * len(weights) / 3
    rows = [("0", "", bench.accuracy(plain, files[1]))]
    for scale in (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, needed):
        path = noisy_weights(bench, model, scale, 1)
        epsilon = 2 * most * len(weights) / scale
        rows.append((f"{scale:.3g}", f"{epsilon:.3g}", bench.accuracy(path, files[1])))
    mean, _ = bench.private("laplace-dpsgd", files, schema, 60000, 3, "--model mlp")
    rows.append(("DP-SGD instead", f"3 at delta {DELTA}", mean))
    root = math.sqrt(statistics.fmean(w * w for w in weights))
    table(f"Laplace noise on trained weights: MNIST, MLP of {len(weights)} weights (root mean square {root:.3f}, "
          f"largest {most:.3f})", ("scale of the noise", "epsilon", "accuracy"), rows)


def read_idx(path):
    content = gzip.open(path).read()
    dimensions = content[3]
    shape = struct.unpack(f">{dimensions}I", content[4:4 + 4 * dimensions])
    return shape, content[4 + 4 * dimensions:]


def usps_as_mnist(bench):
    """USPS digits, 16 x 16, grown to 20 x 20 by the nearest pixel, in the middle of 28 x 28."""
    images = bench.out / "usps28-images-idx3-ubyte.gz"
    labels = bench.data / "usps" / "usps-train-labels-idx1-ubyte.gz"
    if not images.exists():
        (count, _, _), pixels = read_idx(bench.data / "usps" / "usps-train-images-idx3-ubyte.gz")
        grown = bytearray()
        for k in range(count):
            square = bytearray(784)
            for y in range(20):
                for x in range(20):
                    square[(y + 4) * 28 + x + 4] = pixels[k * 256 + (y * 16 // 20) * 16 + x * 16 // 20]
            grown += square
        images.write_bytes(gzip.compress(struct.pack(">4I", 0x803, count, 28, 28) + bytes(grown)))
    return images, labels


def digits(bench):
    files, schema, rows = bench.files("mnist"), results_nn.schema_of("mnist"), []
    omniglot = bench.out / "omniglot.schema.json"
    omniglot.write_text(json.dumps({**json.loads(schema.read_text()), "dataset": "omniglot-small",
                                    "labels": list(range(242))}))
    folder = bench.data / "omniglot-small"
    public = {"USPS digits": ("usps", usps_as_mnist(bench), schema, 7291),
              "Omniglot letters": ("omniglot", (folder / "omniglot-train-images-idx3-ubyte.gz",
                                                folder / "omniglot-train-labels-idx1-ubyte.gz"),
                                   omniglot, 3872)}
    epsilons = (0.5,)
    rows.append(("nothing", "all layers", *(bench.private(f"digits-none-{e}", files, schema, 60000, e,
                                                          "--model cnn --epochs 15")[0] for e in epsilons)))
    for title, (name, source, source_schema, count) in public.items():
        begun = bench.train(f"digits-{name}", source, source_schema,
                            f"--model cnn --method none --data-is-public --expected-rows {count} "
                            "--batch 128 --epochs 40 --learning-rate 0.05")
        for what, freeze in (("all layers", ""), ("the dense layers", "--freeze conv"),
                             ("the last layer", "--freeze all-but-last")):
            key = f"digits-{name}-{what.replace(' ', '-')}"
            rows.append((title, what, *(bench.private(f"{key}-{e}", files, schema, 60000, e,
                                                      f"--model cnn --epochs 15 --init {begun} {freeze}")[0]
                                        for e in epsilons)))
    table("Public characters first: MNIST, the CNN, 15 epochs", ("begins with", "learns",
          *(f"epsilon {e}" for e in epsilons)), rows)


def photographs(bench):
    train, test = bench.files("cifar")
    schema, record = results_nn.schema_of("cifar"), 3073
    content = train[0].read_bytes() if not (bench.out / "cifar-public.bin").exists() else None
    for name, begin, end in (("public", 0, 10000), ("private", 10000, 50000)):
        path = bench.out / f"cifar-{name}.bin"
        if not path.exists():
            path.write_bytes(content[begin * record:end * record])
    public, private = (bench.out / "cifar-public.bin", None), (bench.out / "cifar-private.bin", None)
    rows = []
    for model, title, freezes in (("scattering-linear", "scattering, linear", ("",)),
                                  ("scattering-cnn", "scattering, CNN", ("--freeze all-but-last",))):
        begun = bench.train(f"photographs-{model}", public, schema,
                            f"--model {model}:group-norm --method none --data-is-public --expected-rows 10000 "
                            "--batch 128 --epochs 8 --learning-rate 0.02")
        rows.append((title, "the public photographs alone", "", bench.accuracy(begun, test)))
        if model == "scattering-linear":
            mean, _ = bench.private("photographs-nothing", (private, test), schema, 40000, 1,
                                    f"--model {model}:group-norm --epochs 20")
            rows.append((title, "nothing", "all layers", mean))
        for freeze in freezes:
            mean, _ = bench.private(f"photographs-{model}-begun", (private, test), schema, 40000, 1,
                                    f"--model {model}:group-norm --epochs 20 --init {begun} {freeze}")
            rows.append((title, "the public model", "the last layer" if freeze else "all layers", mean))
    table("Public photographs first: 10 000 rows of CIFAR-10 are public, 40 000 private; 20 epochs, epsilon 1",
          ("network", "begins with", "learns", "accuracy"), rows)


EXPERIMENTS = {"activation": activation, "width": width, "laplace": laplace, "digits": digits,
               "photographs": photographs}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sotto")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", action="append", choices=sorted(EXPERIMENTS))
    parser.add_argument("--runs", type=int, default=2)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.only or EXPERIMENTS:
        EXPERIMENTS[name](Bench(args))


if __name__ == "__main__":
    main()
