"""Price the same plans with peers beside our accountant, in one run, on one core.

Run it with the Python of an environment that has them, for example

    python3 -m venv VENV && VENV/bin/pip install dp-accounting==0.6.0 prv_accountant autodp
    VENV/bin/python bench/peers_account.py build/release/bench/bench_account

The argument is the benchmark program; a peer that is not installed is left out, and said so. A peer
runs in a process of its own with a limit on its time (--seconds, default 120). Prints a table, or
with --json one JSON line a cell. Times are processor times, ours the best of several rounds, a
peer's of one call after a first small one (imports and tables are not counted). "off" is the peer's
epsilon against the nearer end of our bracket, in percent: below zero it promises more than is
true, and the lines are marked so.

What the peers are asked: epsilon of a Poisson-sampled Gaussian, one record added or removed, at
their default settings but for the discretisation of dp_accounting's PLD, which is named. PRV is
asked for its upper end, with an error of 0.01 on epsilon.
"""

import argparse
import importlib
import importlib.metadata
import json
import multiprocessing
import subprocess
import sys
import time

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


def prv_epsilon(rate, sigma, count, delta):
    import prv_accountant

    mechanism = prv_accountant.PoissonSubsampledGaussianMechanism(
        sampling_probability=rate, noise_multiplier=sigma
    )
    accountant = prv_accountant.PRVAccountant(
        prvs=[mechanism], max_self_compositions=[count], eps_error=0.01, delta_error=delta / 1000
    )
    return accountant.compute_epsilon(delta=delta, num_self_compositions=[count])[2]


def autodp_epsilon(rate, sigma, count, delta):
    from autodp import rdp_acct, rdp_bank

    accountant = rdp_acct.anaRDPacct()
    accountant.compose_poisson_subsampled_mechanisms(
        lambda x: rdp_bank.RDP_gaussian({"sigma": sigma}, x), rate, coeff=count
    )
    return accountant.get_eps(delta)


def opacus_epsilon(rate, sigma, count, delta):
    from opacus.accountants import RDPAccountant

    accountant = RDPAccountant()
    accountant.history = [(sigma, rate, count)]
    return accountant.get_epsilon(delta=delta)


PEERS = {
    "pld 1e-4": ("dp-accounting", pld_epsilon(1e-4)),
    "pld 5e-5": ("dp-accounting", pld_epsilon(5e-5)),
    "pld 1e-3": ("dp-accounting", pld_epsilon(1e-3)),
    "rdp": ("dp-accounting", rdp_epsilon),
    "prv 0.01": ("prv_accountant", prv_epsilon),
    "autodp rdp": ("autodp", autodp_epsilon),
    "opacus rdp": ("opacus", opacus_epsilon),
}

# Cases that the benchmark program does not time but that show where a peer loses its footing.
LOOSE_OR_WRONG = [
    ("peer-1", 4e-5, 0.6, 500000, 1e-9),
    ("peer-2", 1e-5, 0.6, 1000000, 1e-10),
]


def ask_in_child(name, arguments, queue):
    ask = PEERS[name][1]
    try:
        ask(0.1, 5.0, 10, 1e-3)  # imports, caches
        start = time.process_time()
        epsilon = float(ask(*arguments))
        queue.put((epsilon, time.process_time() - start, ""))
    except Exception as problem:  # a peer's failure is a result
        queue.put((None, None, f"{type(problem).__name__}: {problem}".splitlines()[0]))


def ask_peer(name, arguments, limit_seconds):
    """(epsilon, seconds, problem) of one call in a child process."""
    queue = multiprocessing.Queue()
    child = multiprocessing.Process(target=ask_in_child, args=(name, arguments, queue))
    child.start()
    try:
        result = queue.get(timeout=limit_seconds)
    except Exception:
        result = (None, None, f"no answer in {limit_seconds} s")
        child.terminate()
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


def bracket_of_the_rest(command):
    """Rows for LOOSE_OR_WRONG from the command line tool, without a time."""
    rows = []
    for name, rate, sigma, count, delta in LOOSE_OR_WRONG:
        words = [command, "account", "epsilon", "--noise-multiplier", repr(sigma), "--rate"]
        words += [repr(rate), "--count", str(count), "--delta", repr(delta), "--json"]
        output = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        answer = json.loads(output)
        rows.append(
            {"question": "epsilon", "case": name, "rate": rate, "noise_multiplier": sigma,
             "count": count, "delta": delta, "epsilon": answer["epsilon"],
             "epsilon_lower": answer["epsilon_lower"], "milliseconds": None}
        )
    return rows


def off_percent(epsilon, row):
    """Relative distance from our bracket, in percent; 0 inside it."""
    if epsilon > row["epsilon"]:
        return 100.0 * (epsilon / row["epsilon"] - 1.0)
    if epsilon < row["epsilon_lower"]:
        return 100.0 * (epsilon / row["epsilon_lower"] - 1.0)
    return 0.0


def compare(row, names, limit_seconds):
    arguments = (row["rate"], row["noise_multiplier"], row["count"], row["delta"])
    cells = []
    for name in names:
        epsilon, took, problem = ask_peer(name, arguments, limit_seconds)
        cell = {"case": row["case"], "peer": name, "peer_epsilon": epsilon, "problem": problem}
        if epsilon is not None:
            cell["off_percent"] = off_percent(epsilon, row)
            cell["peer_milliseconds"] = 1e3 * took
            if row["milliseconds"]:
                cell["times_slower"] = 1e3 * took / row["milliseconds"]
        cells.append(cell)
    return cells


def print_case(row, cells):
    took = "" if row["milliseconds"] is None else f"{row['milliseconds']:.2f} ms"
    print(
        f"\n{row['case']}: rate {row['rate']:.6g}, noise {row['noise_multiplier']:.6g}, "
        f"{row['count']} steps, delta {row['delta']:g}"
    )
    print(f"  {'sotto':<12}{row['epsilon']:>14.9g}  (at least {row['epsilon_lower']:.9g})  {took}")
    for cell in cells:
        if cell["peer_epsilon"] is None:
            print(f"  {cell['peer']:<12}{'-':>14}  {cell['problem'][:60]}")
            continue
        mark = "  TOO LOW" if cell["off_percent"] < -1e-4 else ""
        ratio = f"{cell['times_slower']:.0f} times slower" if "times_slower" in cell else ""
        print(
            f"  {cell['peer']:<12}{cell['peer_epsilon']:>14.9g}  {cell['off_percent']:+9.4f} %  "
            f"{cell['peer_milliseconds']:10.1f} ms  {ratio}{mark}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="bench_account")
    parser.add_argument("--sotto", help="the sotto command: adds the cases where peers fail")
    parser.add_argument("--seconds", type=float, default=120.0, help="limit of one peer's call")
    parser.add_argument("--json", action="store_true")
    settings = parser.parse_args()

    names = []
    for name, (package, _) in PEERS.items():
        try:
            version = importlib.metadata.version(package)
            names.append(name)
            print(f"{name}: {package} {version}", file=sys.stderr)
        except importlib.metadata.PackageNotFoundError:
            print(f"{name}: {package} is not installed, left out", file=sys.stderr)

    rows = ours(settings.program)
    for row in rows:
        if row["question"] == "noise" and not settings.json:
            print(f"{row['case']}: noise {row['noise_multiplier']:.9g} in {row['milliseconds']:.1f} ms")
    rows = [row for row in rows if row["question"] == "epsilon"]
    if settings.sotto:
        rows += bracket_of_the_rest(settings.sotto)
    for row in rows:
        cells = compare(row, names, settings.seconds)
        if settings.json:
            for cell in cells:
                print(json.dumps({"bench": "peers_account", **cell}))
        else:
            print_case(row, cells)


if __name__ == "__main__":
    main()
