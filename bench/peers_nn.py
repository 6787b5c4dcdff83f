"""Measure training steps of networks beside Opacus and plain PyTorch, in one run, on the same random data.

Run it with the Python of an environment that has the peers, for example

    python3 -m venv VENV && VENV/bin/pip install torch==2.13.0 opacus==1.6.0
    make benches && VENV/bin/python bench/peers_nn.py build/release/bench/bench_nn

or `make bench PEERS=VENV`. A peer that is not installed is left out, and said so.

Networks    logistic 784-10; MLP 784-128-10 with tanh; the tanh CNN of Papernot et al. (26 010 parameters) on
            28x28 images. Random inputs in memory, no loader, no evaluation.
Step        Forward, backward, clipping to C = 1, noise of multiplier 1, momentum 0.9; the peers work on
            batches of a fixed size that lie in memory, ours draws a Poisson batch of that mean every step,
            computes in its tiles, and releases through its gate.
Time        Samples a second, the best of --rounds windows of --seconds each; the programs take turns. Two
            threads for everybody, and the clock on the wall: for a machine with nothing else to do. With
            --threads 1 processor time, which a busy machine changes less. Memory of the peers is tuned (glibc keeps freed memory instead of
            returning it to the system), without which Opacus is two to three times slower.

Prints a line a case, with --json a JSON line, with --markdown the table of docs/results/networks-speed.md.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import warnings

TUNED = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "17179869184",
         "MALLOC_TOP_PAD_": "268435456", "OMP_WAIT_POLICY": "PASSIVE"}
CASES = (("logistic", 256), ("logistic", 2048), ("mlp", 256), ("mlp", 2048), ("cnn", 512),
         ("cnn", 2048))


def make_network(torch, name):
    nn = torch.nn
    if name == "logistic":
        return nn.Sequential(nn.Linear(784, 10)), (784,)
    if name == "mlp":
        return nn.Sequential(nn.Linear(784, 128), nn.Tanh(), nn.Linear(128, 10)), (784,)
    layers = (nn.Conv2d(1, 16, 8, 2, padding=2), nn.Tanh(), nn.MaxPool2d(2, 1),
              nn.Conv2d(16, 32, 4, 2), nn.Tanh(), nn.MaxPool2d(2, 1), nn.Flatten(),
              nn.Linear(512, 32), nn.Tanh(), nn.Linear(32, 10))
    return nn.Sequential(*layers), (1, 28, 28)


def stepper(torch, name, batch, private):
    """A function that does one step."""
    torch.manual_seed(1)
    model, shape = make_network(torch, name)
    x = torch.rand(batch, *shape)
    y = torch.randint(0, 10, (batch,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    if private:
        from opacus.grad_sample import GradSampleModule
        from opacus.optimizers import DPOptimizer
        model = GradSampleModule(model)
        optimizer = DPOptimizer(optimizer, noise_multiplier=1.0, max_grad_norm=1.0,
                                expected_batch_size=batch)
    loss = torch.nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad()
        loss(model(x), y).backward()
        optimizer.step()

    return step


def rate(step, batch, args):
    clock = time.process_time if args.threads == 1 else time.perf_counter
    step()
    steps, started = 0, clock()
    while clock() - started < args.seconds:
        step()
        steps += 1
    return steps * batch / (clock() - started)


def our_rates(program, name, batch, args):
    """{"private": samples a second, "plain": ...} of our program."""
    command = [program, "--net", name, "--batch", str(batch), "--seconds", str(args.seconds),
               "--threads", str(args.threads)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = [json.loads(line) for line in output.splitlines()]
    return {line["path"]: line["samples_per_second"] for line in lines if "path" in line}


def measure(program, torch, has_opacus, args):
    for name, batch in CASES:
        best = {}
        steps = {}
        if torch is not None:
            steps["pytorch"] = stepper(torch, name, batch, False)
            if has_opacus:
                steps["opacus"] = stepper(torch, name, batch, True)
        for _ in range(args.rounds):
            found = {peer: rate(step, batch, args) for peer, step in steps.items()}
            for path, value in our_rates(program, name, batch, args).items():
                found["sotto " + path] = value
            for key, value in found.items():
                best[key] = max(best.get(key, 0.0), value)
        yield name, batch, best


HEAD = (("net", "network"), ("batch", "batch"), ("opacus", "Opacus"), ("pytorch", "PyTorch, no privacy"),
        ("sotto private", "sotto, private"), ("sotto plain", "sotto, no privacy"),
        ("times_opacus", "times Opacus"), ("times_pytorch", "times PyTorch without privacy"),
        ("private_over_plain_time", "private step over plain"))


def show_markdown(row, is_first):
    """A row of the table of docs/results/networks-speed.md; the first one with the head before it."""
    if is_first:
        print("| " + " | ".join(title for _, title in HEAD) + " |")
        print("|" + "---|" * len(HEAD))
    cells = [f"{row[key]:,}" if isinstance(row.get(key), int) and key != "batch" else str(row.get(key, ""))
             for key, _ in HEAD]
    print("| " + " | ".join(cells) + " |", flush=True)


def show(name, batch, best, args, is_first):
    ours = best["sotto private"]
    row = {"net": name, "batch": batch, **{key: round(value) for key, value in best.items()},
           "private_over_plain_time": round(best["sotto plain"] / ours, 3)}
    for peer in ("opacus", "pytorch"):
        if peer in best:
            row["times_" + peer] = round(ours / best[peer], 2)
    if args.markdown:
        show_markdown(row, is_first)
        return
    if args.json:
        print(json.dumps(row), flush=True)
        return
    cells = [f"{key} {value}" for key, value in row.items()]
    print("  ".join(cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="bench_nn of a release build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--markdown", action="store_true", help="the table of docs/results/networks-speed.md")
    args = parser.parse_args()
    if os.environ.get("MALLOC_MMAP_MAX_") is None:
        threads = {"OMP_NUM_THREADS": str(args.threads)}
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **TUNED, **threads})
    warnings.filterwarnings("ignore")
    torch, has_opacus = None, False
    try:
        import torch
        torch.set_num_threads(args.threads)
        import opacus  # noqa: F401
        has_opacus = True
    except ImportError as missing:
        print(f"peers_nn: {missing.name} is not installed and left out", file=sys.stderr)
    cases = measure(args.program, torch, has_opacus, args)
    for number, (name, batch, best) in enumerate(cases):
        show(name, batch, best, args, number == 0)


if __name__ == "__main__":
    main()
