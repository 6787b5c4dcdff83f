"""Price the same plans with peers beside our accountant, in one run, on one core.

Run it with the Python of an environment that has them, for example

    python3 -m venv VENV && VENV/bin/pip install dp-accounting==0.6.0 opacus==1.6.0
    VENV/bin/python bench/peers_account.py build/release/bench/bench_account

or `make bench PEERS=VENV`. The argument is the benchmark program; a peer that is not installed is left out, and
said so. A peer runs in a process of its own with limits on its processor time and memory (--seconds,
--gigabytes). Prints a table and the goals, or with --json one JSON line a cell and a goal. Times are processor
times, ours the best of several rounds, a peer's of one call after a first small one (imports and tables are
not counted). The percentage is the peer's epsilon against the nearer end of our bracket: below
zero it promises more than is true, and the lines are marked so; of a calibration, its noise against ours.

What the peers are asked: epsilon of a Poisson-sampled Gaussian, one record added or removed, or the noise for
it, at their default settings but for the discretisation of dp_accounting's PLD, which is named (1e-4 is
its default). peers_account_answers.py has more questions and peers, and judges.
"""

import argparse
import importlib
import importlib.metadata
import json
import logging
import math
import multiprocessing
import os
import resource
import subprocess
import sys
import time
import warnings

# ---- the peers: a name, its package, and how it is asked ----


def pld_epsilon(interval):
    def ask(rate, sigma, count, delta):
        import dp_accounting
        from dp_accounting import pld

        accountant = pld.PLDAccountant(value_discretization_interval=interval)
        event = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(sigma))
        accountant.compose(event, count)
        return accountant.get_epsilon(delta)

    return ask


def rdp_epsilon(rate, sigma, count, delta):
    import dp_accounting
    from dp_accounting import rdp

    accountant = rdp.RdpAccountant()
    event = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(sigma))
    accountant.compose(event, count)
    return accountant.get_epsilon(delta)


def opacus_epsilon(kind):
    def ask(rate, sigma, count, delta):
        from opacus import accountants

        accountant = accountants.create_accountant(kind)
        accountant.history = [(sigma, rate, count)]
        return accountant.get_epsilon(delta=delta)

    return ask


# One thread: the time of threads that wait for work would be counted against the peer.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

PEERS = {
    "pld 1e-4": ("dp-accounting", pld_epsilon(1e-4)),
    "pld 1e-5": ("dp-accounting", pld_epsilon(1e-5)),
    "rdp": ("dp-accounting", rdp_epsilon),
    "opacus prv": ("opacus", opacus_epsilon("prv")),
    "opacus rdp": ("opacus", opacus_epsilon("rdp")),
}


# ---- the same for calibration: the noise that a target asks for ----


def calibrate(kind):
    def ask(rate, epsilon, count, delta):
        import dp_accounting
        from dp_accounting import pld, rdp

        def event_of(sigma):
            step = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(sigma))
            return dp_accounting.SelfComposedDpEvent(step, count)

        accountant = {"pld": pld.PLDAccountant, "rdp": rdp.RdpAccountant}[kind]
        return dp_accounting.calibrate_dp_mechanism(accountant, event_of, epsilon, delta)

    return ask


MODULES = {"dp-accounting": "dp_accounting.pld", "opacus": "opacus.accountants"}

CALIBRATORS = {
    "pld 1e-4": ("dp-accounting", calibrate("pld")),
    "rdp": ("dp-accounting", calibrate("rdp")),
}


def ask_in_child(ask, arguments, limits, connection):
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    seconds, memory_bytes = limits
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    try:
        ask(0.1, 5.0, 10, 1e-3)  # imports, caches
        start = time.process_time()
        answer = float(ask(*arguments))
        connection.send((answer, time.process_time() - start, ""))
    except Exception as problem:  # noqa: BLE001  a peer's failure is a result
        text = str(problem).splitlines() or [""]
        connection.send((None, None, f"{type(problem).__name__}: {text[0]}"))


def ask_peer(ask, arguments, limits):
    """(answer, seconds, problem) of one call in a child process."""
    ours_end, theirs = multiprocessing.Pipe()
    child = multiprocessing.Process(target=ask_in_child, args=(ask, arguments, limits, theirs))
    child.start()
    theirs.close()
    try:
        result = ours_end.recv()
    except EOFError:
        result = (None, None, f"died, or had no answer in {limits[0]} s")
    child.join()
    return result


def ours(program):
    """Our rows for the question epsilon; the program checks its own answers."""
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    rows = [json.loads(line) for line in output.splitlines()]
    for row in rows:
        if not row["checked"]:
            sys.exit(f"{row['case']} failed its own check")
    return rows


def off_percent(epsilon, row):
    """Relative distance from our bracket, in percent; 0 inside it."""
    if epsilon > row["epsilon"]:
        return 100.0 * (epsilon / row["epsilon"] - 1.0)
    if epsilon < row["epsilon_lower"]:
        return 100.0 * (epsilon / row["epsilon_lower"] - 1.0)
    return 0.0


def off_noise_percent(noise, row):
    """How much more noise than ours; ours is at most two millionths above the least."""
    return 100.0 * (noise / row["noise_multiplier"] - 1.0)


def compare(row, installed, only, limits):
    is_noise = row["question"] == "noise"
    peers = CALIBRATORS if is_noise else PEERS
    given = row["epsilon"] if is_noise else row["noise_multiplier"]
    arguments = (row["rate"], given, row["count"], row["delta"])
    cells = []
    for name, (package, ask) in peers.items():
        if package not in installed or only not in name:
            continue
        answer, took, problem = ask_peer(ask, arguments, limits)
        cell = {"case": row["case"], "kind": row["kind"], "peer": name, "answer": answer}
        cell["problem"] = problem
        if answer is not None and math.isfinite(answer):
            off = off_noise_percent if is_noise else off_percent
            cell["off_percent"] = off(answer, row)
            cell["peer_milliseconds"] = 1e3 * took
            cell["times_slower"] = 1e3 * took / row["milliseconds"]
        elif answer is not None:
            cell.update(answer=None, problem=f"says {answer}")
        cells.append(cell)
    return cells


def print_case(row, cells):
    is_noise = row["question"] == "noise"
    asked = f"epsilon {row['epsilon']:.6g}" if is_noise else f"noise {row['noise_multiplier']:.6g}"
    print(
        f"\n{row['case']} ({row['kind']}): rate {row['rate']:.6g}, {asked}, "
        f"{row['count']} steps, delta {row['delta']:g}"
    )
    answer = row["noise_multiplier"] if is_noise else row["epsilon"]
    least = "" if is_noise else f"(at least {row['epsilon_lower']:.9g})"
    print(f"  {'sotto':<12}{answer:>14.9g}  {row['milliseconds']:10.2f} ms  {least}")
    for cell in cells:
        if cell["answer"] is None:
            print(f"  {cell['peer']:<12}{'-':>14}  {cell['problem'][:60]}")
            continue
        mark = "  TOO LOW" if cell["off_percent"] < -1e-4 else ""
        print(
            f"  {cell['peer']:<12}{cell['answer']:>14.9g}  {cell['peer_milliseconds']:10.1f} ms  "
            f"{cell['times_slower']:8.1f} times ours  {cell['off_percent']:+9.4f} %{mark}",
            flush=True,
        )


def goals(rows, cells):
    """One record a goal: what was wanted, the worst case, how many cases met it."""
    for kind in ("ordinary", "corner", "calibration"):
        members = [row for row in rows if row["kind"] == kind]
        worst = max(members, key=lambda row: row["milliseconds"])
        yield {
            "goal": f"{kind}, at most {worst['goal_milliseconds']:g} ms",
            "met": sum(row["goal_met"] for row in members),
            "cases": len(members),
            "worst": f"{worst['case']}: {worst['milliseconds']:.1f} ms",
        }
    for kind in ("ordinary", "corner", "calibration"):
        members = [
            cell
            for cell in cells
            if cell["kind"] == kind and cell["peer"] == "pld 1e-4" and "times_slower" in cell
        ]
        if members:
            worst = min(members, key=lambda cell: cell["times_slower"])
            yield {
                "goal": f"{kind}, at least 100 times faster than dp_accounting's PLD",
                "met": sum(cell["times_slower"] >= 100.0 for cell in members),
                "cases": len(members),
                "worst": f"{worst['case']}: {worst['times_slower']:.1f} times",
            }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="bench_account")
    parser.add_argument("--seconds", type=int, default=40, help="limit of one peer's call")
    parser.add_argument("--gigabytes", type=int, default=4, help="limit of one peer's memory")
    parser.add_argument("--only", default="", help="only peers whose name contains this text")
    parser.add_argument("--json", action="store_true")
    settings = parser.parse_args()

    installed = set()
    for package in sorted({package for package, _ in PEERS.values()}):
        try:
            print(f"{package} {importlib.metadata.version(package)}", file=sys.stderr)
            importlib.import_module(MODULES[package])  # once, for all the children
            installed.add(package)
        except importlib.metadata.PackageNotFoundError:
            print(f"{package} is not installed, left out", file=sys.stderr)

    rows = ours(settings.program)
    all_cells = []
    for row in rows:
        cells = compare(row, installed, settings.only, (settings.seconds, settings.gigabytes << 30))
        all_cells += cells
        if settings.json:
            for cell in cells:
                print(json.dumps({"bench": "peers_account", **cell}), flush=True)
        else:
            print_case(row, cells)
    for goal in goals(rows, all_cells):
        if settings.json:
            print(json.dumps({"bench": "peers_account", **goal}))
        else:
            print(
                f"\n{goal['goal']}: {goal['met']} of {goal['cases']}, worst {goal['worst']}", end=""
            )
    if not settings.json:
        print()


if __name__ == "__main__":
    main()
