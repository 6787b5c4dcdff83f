"""Lower bounds on epsilon from attacks, with a confidence.

For attacks on any release, from anywhere: counts or scores go in, dicts come out (docs/howto/audit.md). Every
``_lower`` is rounded down. ``alpha`` is the probability that a bound is wrong.

>>> import sotto
>>> found = sotto.audit.bounds(true_positives=900, members=1000, false_positives=50, others=1000,
...                            delta=1e-5, alpha=0.05)
>>> round(found["epsilon_lower"], 3)
2.599
"""

from __future__ import annotations

import math
from collections.abc import Callable
from ctypes import POINTER, Structure, byref, c_bool, c_double, c_uint64
from typing import Any

import numpy as np

from . import _cells, account
from ._arrays import matrix
from ._library import (
    CONSTANTS,
    AuditBounds,
    AuditConfig,
    AuditCounts,
    AuditVerdict,
    Handle,
    LiraFit,
    OneRun,
    call,
    defaults_of,
    library,
    owned_text,
    text_of,
    value_of_name,
)
from ._progress import Watch
from ._tables import Table, read, read_column

_AIMS = {"mu": CONSTANTS["SOTTO_AIM_MU"], "epsilon": CONSTANTS["SOTTO_AIM_EPSILON"]}
_CHOICES = {name: CONSTANTS[f"SOTTO_ONE_RUN_{name.upper()}"] for name in ("fixed", "split", "union")}
_ROUTES = {CONSTANTS[f"SOTTO_AUDIT_BY_{name.upper()}"]: name for name in ("rates", "mu", "noise")}
# Points of the claim's curve; it is sharpened where it is asked.
_CURVE_POINTS = 64


# ---- many runs, one decision each ----

def rate_limits(k: int, n: int, *, alpha: float = 0.05) -> tuple[float, float]:
    """One-sided limits of Clopper and Pearson for the probability behind k successes of n.

    Each is wrong with probability at most `alpha`; both at once with twice that.
    """
    k, n = account.whole("k", k), account.whole("n", n)
    lower = library.sotto_audit_rate_lower(k, n, float(alpha))
    if math.isnan(lower):
        raise ValueError(f"k is {k}, n is {n} and alpha is {alpha:g}; give k from 0 to n, n from 1 "
                         "to 2^33, and alpha between 0 and 1")
    return lower, library.sotto_audit_rate_upper(k, n, float(alpha))


def bounds(*, true_positives: int, members: int, false_positives: int, others: int, delta: float,
           alpha: float = 0.05) -> dict[str, float]:
    """Lower bounds from an attack that flagged `true_positives` of `members` runs with the record.

    It also flagged `false_positives` of `others` runs without it. Its decision rule was fixed before these runs.
    ``epsilon_lower`` holds for every mechanism. ``mu_lower`` is of Gaussian DP, and
    ``gaussian_epsilon_lower`` is its epsilon: they hold only for mechanisms whose trade-off curve
    is Gaussian. All bounds hold together with probability 1 - alpha.
    """
    counts = _counts(true_positives, members, false_positives, others)
    return _bounds_of(counts, alpha, delta)


def bounds_of_scores(members: Any, others: Any, *, delta: float, alpha: float = 0.05,
                     aim: str = "epsilon") -> dict[str, Any]:
    """The same from scores, one for each run, larger where the record seems to be present.

    The best threshold (for "epsilon" or "mu") is chosen on the first half of the runs of each world
    and counted on the others. So the runs must be in the order in which they ran.
    """
    ins, outs = _scores("members", members), _scores("others", others)
    threshold, counts = c_double(), AuditCounts()
    call("sotto_audit_split", _pointer(ins), len(ins), _pointer(outs), len(outs),
         _named("aim", aim, _AIMS), float(alpha), float(delta), byref(threshold), byref(counts))
    return {**_bounds_of(counts, alpha, delta), "threshold": threshold.value, **_fields(counts)}


def against(plan: account.Plans, *, true_positives: int, members: int, false_positives: int,
            others: int, delta: float, alpha: float = 0.05,
            adjacency: str | None = None) -> dict[str, Any]:
    """Do these counts contradict what is claimed of a plan? The sound test of every mechanism.

    The claim is the plan's own trade-off curve, down to `delta` (0 for plans of pure events).
    ``refuted`` is wrong with probability at most `alpha`; not refuted is not proven.
    """
    counts = _counts(true_positives, members, false_positives, others)
    claim, curve, verdict = (account.PlanHandle(plan, adjacency), Handle("sotto_curve_free"),
                             AuditVerdict())
    call("sotto_curve_new", claim.pointer, value_of_name("sotto_accountant_from_name", "exact"),
         float(delta), _CURVE_POINTS, byref(curve.pointer))
    call("sotto_audit_against_curve", byref(counts), float(alpha), curve.pointer, claim.pointer,
         byref(verdict))
    return _fields(verdict)


def roc(members: Any, others: Any) -> dict[str, Any]:
    """The receiver operating characteristic of scores: rates as seen, no confidence is claimed."""
    ins, outs, made = _scores("members", members), _scores("others", others), Handle("sotto_roc_free")
    call("sotto_roc_new", _pointer(ins), len(ins), _pointer(outs), len(outs), byref(made.pointer))
    points = library.sotto_roc_points(made.pointer)
    table = np.array([(points[i].threshold, points[i].false_positive_rate,
                       points[i].true_positive_rate)
                      for i in range(library.sotto_roc_size(made.pointer))])
    return {"threshold": table[:, 0], "false_positive_rate": table[:, 1],
            "true_positive_rate": table[:, 2], "area": library.sotto_roc_area(made.pointer),
            "advantage": library.sotto_roc_advantage(made.pointer)}


def lira(confidences: Any, shadow_confidences: Any, included: Any, *, offline: bool = False,
         pooled: bool | None = None) -> np.ndarray:
    """Scores of membership by the likelihood ratio of shadow models (Carlini et al., S&P 2022).

    `confidences` are the model's in the true label of each example, log(p / (1 - p)).
    `shadow_confidences` are those of the shadow models, shadows x examples. `included` is True if a
    shadow was trained on the example. `offline` uses only the shadows without it. `pooled` is one
    deviation for all examples; default for fewer than 128 shadows, as in the command. An
    example without shadows to compare scores as likely as not.
    """
    own = _scores("confidences", confidences)
    shadows, coins = (read(table, name).with_width_of_most(name).numeric() for table, name in (
        (shadow_confidences, "shadow_confidences"), (included, "included")))
    theirs, taken = matrix(shadows), _coins("included", _alike(coins, shadows))
    if theirs.shape[1] != len(own) or taken.shape != theirs.shape:
        raise ValueError(f"shadow_confidences have the shape {theirs.shape} and included "
                         f"{taken.shape}; give one row a shadow model and one column for each of the "
                         f"{len(own)} examples")
    ins, outs = _fits(theirs, taken), _fits(theirs, ~taken)
    if len(theirs) < 128 if pooled is None else pooled:
        for fits in (ins, outs):
            deviation = library.sotto_lira_pooled_deviation(fits, len(own))
            for fit in fits:
                fit.deviation = deviation
    return np.array([_likelihood(phi, ins[i], outs[i], offline) for i, phi in enumerate(own)])


def _fits(theirs: np.ndarray, chosen: np.ndarray) -> Any:
    """Mean and deviation of the chosen shadows for each example; a count of 0 if there are none."""
    fits = (LiraFit * theirs.shape[1])()
    for place, fit in enumerate(fits):
        values = theirs[chosen[:, place], place]
        if len(values) > 0:
            call("sotto_lira_fit_of", _pointer(values), len(values), byref(fit))
    return fits


def _likelihood(phi: float, ins: LiraFit, outs: LiraFit, offline: bool) -> float:
    if outs.count == 0 or (ins.count == 0 and not offline):
        return 0.5 if offline else 0.0
    centre = CONSTANTS["SOTTO_LIRA_MEAN"]
    if offline:
        return library.sotto_lira_offline(phi, byref(outs), centre)
    return library.sotto_lira_online(phi, byref(ins), byref(outs), centre)


# ---- one run, many canaries ----

def toss(canaries: int, *, insecure_test_seed: int | None = None) -> np.ndarray:
    """A fair coin for each canary: True if it goes among the records of the training."""
    count = account.whole("canaries", canaries)
    coins = np.zeros(count, dtype=bool)
    seed = (None if insecure_test_seed is None
            else byref(c_uint64(account.whole("insecure_test_seed", insecure_test_seed))))
    call("sotto_canaries_toss", count, seed, coins.ctypes.data_as(POINTER(c_bool)))
    return coins


def one_run(scores: Any, included: Any, *, delta: float, alpha: float = 0.05,
            choice: str = "split", guesses: int | None = None) -> dict[str, Any]:
    """Lower bounds of epsilon, and of mu of Gaussian DP, from a single training with canaries.

    Either claim is wrongly refuted with probability at most `alpha`, not both together.
    Canary i was put in iff `included[i]`, by its own fair coin (:func:`toss`). Its score is larger
    if it seems to be in. There are three ways to choose the number of guesses. "split" takes the best on
    every second canary and counts on the others. "union" corrects for trying several. "fixed" takes
    `guesses`, fixed before the run.
    """
    values, column = _scores("scores", scores), read_column(included, "included")
    coins, found = _coins("included", Table(len(column), [lambda: column.cells]))[:, 0], OneRun()
    if coins.shape != values.shape:
        raise ValueError(f"included has the shape {coins.shape}, and there are {len(values)} scores; "
                         "give one coin a canary")
    coins = np.ascontiguousarray(coins)
    call("sotto_audit_one_run", _pointer(values), coins.ctypes.data_as(POINTER(c_bool)), len(values),
         _named("choice", choice, _CHOICES), account.whole("guesses", guesses or 0), float(delta),
         float(alpha), byref(found))
    return _fields(found)


def one_run_epsilon(*, canaries: int, guesses: int, correct: int, delta: float,
                    alpha: float = 0.05) -> float:
    """The same from counts: `correct` of `guesses` were right, a number fixed before the run."""
    numbers = [account.whole("canaries", canaries), account.whole("guesses", guesses), account.whole("correct", correct)]
    found = library.sotto_audit_one_run_epsilon(*numbers, float(delta), float(alpha))
    if math.isnan(found):
        raise ValueError(f"{correct} of {guesses} guesses of {canaries} canaries at delta {delta:g} "
                         f"and alpha {alpha:g}; give correct <= guesses <= canaries, at least one "
                         "guess, delta from 0 to 1 and alpha between 0 and 1")
    return found


def one_run_mu(*, canaries: int, guesses: int, correct: int, alpha: float = 0.05) -> float:
    """The same for a claim of Gaussian DP, of which one run shows more."""
    numbers = [account.whole("canaries", canaries), account.whole("guesses", guesses), account.whole("correct", correct)]
    found = library.sotto_audit_one_run_mu(*numbers, float(alpha))
    if math.isnan(found):
        raise ValueError(f"{correct} of {guesses} guesses of {canaries} canaries at alpha {alpha:g}; "
                         "give correct <= guesses <= canaries, at least one guess, and alpha between "
                         "0 and 1")
    return found


# ---- our own learners ----

def learner(model: str, method: str, *, epsilon: float, delta: float | None = None,
            adjacency: str = "add-remove", transcript: bool = False, runs: int | None = None,
            alpha: float | None = None, threads: int | None = None, svg: bool = False,
            progress: Callable[[int, int, float, float], None] | bool | None = None,
            insecure_test_seed: int | None = None) -> dict[str, Any]:
    """Attacks a learner of the library: thousands of trainings on a crafted pair of data sets.

    Returns the claim, the lower bound of the attack, and whether it refutes the claim. `transcript`
    looks at every step of "gd" and "sgd"; `svg` adds the picture.
    """
    config = defaults_of("audit", AuditConfig())
    config.model = value_of_name("sotto_model_kind_from_name", model)
    config.method = value_of_name("sotto_method_from_name", method)
    config.adjacency = value_of_name("sotto_adjacency_from_name", adjacency)
    config.epsilon, config.transcript = float(epsilon), bool(transcript)
    if delta is not None:
        config.delta = float(delta)
    if alpha is not None:
        config.alpha = float(alpha)
    if runs is not None:
        config.runs = account.whole("runs", runs)
    config.threads = account.whole("threads", threads or 0)
    if insecure_test_seed is not None:
        config.insecure_test = True
        config.test_seed = account.whole("insecure_test_seed", insecure_test_seed)
    watch, made = Watch(progress), Handle("sotto_audit_free")
    config.progress = watch.function
    with watch:
        call("sotto_audit_learner", byref(config), byref(made.pointer))
    found = _fields(library.sotto_audit_found(made.pointer).contents)
    found["adjacency"] = text_of("sotto_adjacency_name", found["adjacency"])
    found["route"] = _ROUTES[found["route"]]
    short_of = library.sotto_audit_short_of(made.pointer)
    found["pair"] = text_of("sotto_audit_pair", made.pointer)
    found["short_of"] = None if short_of is None else short_of.decode()
    found["sentence"] = text_of("sotto_audit_sentence", made.pointer)
    if svg:
        found["svg"] = owned_text("sotto_audit_to_svg", made.pointer)
    return found


# ---- what the library takes and gives ----

def _counts(true_positives: Any, members: Any, false_positives: Any, others: Any) -> AuditCounts:
    return AuditCounts(account.whole("true_positives", true_positives), account.whole("members", members),
                       account.whole("false_positives", false_positives), account.whole("others", others))


def _bounds_of(counts: AuditCounts, alpha: float, delta: float) -> dict[str, float]:
    found = AuditBounds()
    call("sotto_audit_bounds_of", byref(counts), float(alpha), float(delta), byref(found))
    return _fields(found)


def _scores(name: str, values: Any) -> np.ndarray:
    column = read_column(values, name)
    if column.is_matrix:
        raise ValueError(f"{name} have the shape {(len(column), 1)}; give one score a run, in one row")
    return np.ascontiguousarray(_cells.numbers(column.cells))


def _coins(name: str, table: Table) -> np.ndarray:
    """True and False, and nothing else, of a table."""
    columns = [_cells.truths(table.column(place)) for place in range(table.width)]
    found = np.stack(columns, axis=1) if columns else np.empty((table.rows, 0))
    if not np.isin(found, (0.0, 1.0)).all():
        raise ValueError(f"{name} has cells that are no truth values; give True and False")
    return found == 1.0


def _alike(table: Table, other: Table) -> Table:
    """The columns of `table` in the order of those of `other`, if both have names."""
    if table.names is None or other.names is None or table.names == other.names:
        return table
    if set(table.names) != set(other.names):
        raise ValueError("included and shadow_confidences have columns of different names; name each "
                         "example alike in both, or give arrays")
    return table.reordered([table.names.index(name) for name in other.names])


def _pointer(values: np.ndarray) -> Any:
    return values.ctypes.data_as(POINTER(c_double))


def _named(name: str, value: str, known: dict[str, int]) -> int:
    if value not in known:
        raise ValueError(f"{name} is {value!r}; give one of {', '.join(map(repr, known))}")
    return known[value]


def _fields(struct: Structure) -> dict[str, Any]:
    """A struct as a dict: structs in it too; NaN, the library's word for "none", is None."""
    found = {}
    for name, _ in struct._fields_:
        value = getattr(struct, name)
        if isinstance(value, Structure):
            value = _fields(value)
        elif isinstance(value, float) and math.isnan(value):
            value = None
        found[name] = value
    return found
