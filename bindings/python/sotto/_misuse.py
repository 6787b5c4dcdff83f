"""Warnings where private rows leave without a charge: pipelines, cross-validation, scores, repeated fits.

They follow from the objects and settings on the call stack, and from the identity of X. They never depend on a cell:
such a warning would reveal a record.
"""

from __future__ import annotations

import sys
import warnings
import weakref
from collections.abc import Iterator
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from types import FrameType
from typing import Any

from ._errors import PrivacyWarning
from .account import upward

_OURS = ("sotto", "sklearn", "joblib", "threading", "concurrent", "multiprocessing")
# Modules of scikit-learn whose functions train an estimator several times.
_REPEATS = ("sklearn.model_selection", "sklearn.feature_selection", "sklearn.calibration", "sklearn.multiclass",
            "sklearn.multioutput", "sklearn.ensemble")
# Of these, the functions that train a model once for each split of `cv`.
_SPLITTING = ("cross_val_score", "cross_validate", "cross_val_predict")
# Calls that were warned of: each call has an object of its own.
_warned: weakref.WeakSet[Any] = weakref.WeakSet()


def warn(message: str) -> None:
    """Warns at the user's line: the first one outside of this package and scikit-learn."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_OURS):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, PrivacyWarning, stacklevel=level)


def _frames(module: str | tuple[str, ...]) -> Iterator[FrameType]:
    """The calls of these modules of scikit-learn that this one is in, the innermost first."""
    if "sklearn" not in sys.modules:
        return
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(module):
            yield frame
        frame = frame.f_back


def _owner_of(frame: FrameType, *methods: str) -> Any:
    """The object whose method the frame is, if it is one of these; else None."""
    return frame.f_locals.get("self") if frame.f_code.co_name in methods else None


# ---- steps that learn from the rows ----

def warn_of_steps() -> None:
    """Warns of steps that are fitted on the private rows before the estimator."""
    for frame in _frames("sklearn.pipeline"):
        pipeline = _owner_of(frame, "fit", "fit_predict")
        for name, step in getattr(pipeline, "steps", [])[:-1]:
            learner = learner_of(step)
            if learner is not None:
                warn(f"{type(learner).__name__} (step {name!r} of the pipeline) is fitted on the private rows, and the certificate "
                     "does not cover it: the step and every prediction reveal them. Leave it out and state bounds= or schema=, "
                     "or fit it on public rows and give only its transform, for example FunctionTransformer(scaler.transform)")
    for frame in _frames("sklearn.compose"):
        target = _owner_of(frame, "fit")
        if type(target).__name__ == "TransformedTargetRegressor" and target.transformer is not None:
            learner = learner_of(target.transformer)
            if learner is not None:
                warn(f"{type(learner).__name__} of TransformedTargetRegressor is fitted on the private targets, and the certificate "
                     "does not cover it. Leave it out and state target_bounds=, or give func= and inverse_func=")


def learner_of(step: Any) -> Any:
    """The part of a transformer whose fit() takes more than names and numbers of columns from rows; None: there is none."""
    if step is None or isinstance(step, str):  # "passthrough", "drop"
        return None
    kind = type(step).__name__
    parts = getattr(step, {"ColumnTransformer": "transformers", "FeatureUnion": "transformer_list",
                           "Pipeline": "steps"}.get(kind, ""), None)
    if parts is not None:
        rest = getattr(step, "remainder", None)
        return next(filter(None, map(learner_of, [*(part[1] for part in parts), rest])), None)
    return None if _learns_nothing(kind, step) else step


def _learns_nothing(kind: str, step: Any) -> bool:
    if kind in ("FrozenEstimator", "PolynomialFeatures", "HashingVectorizer", "FeatureHasher"):
        return True  # before scikit-learn 1.6 not all of them state it
    if kind in ("OneHotEncoder", "OrdinalEncoder"):  # declared categories; an error at another one would reveal its record
        return (step.handle_unknown != "error" and not isinstance(step.categories, str) and getattr(step, "min_frequency", None) is None
                and getattr(step, "max_categories", None) is None)
    if kind == "SimpleImputer":
        return step.strategy == "constant" and not step.add_indicator
    return not _requires_fit(step)


def _requires_fit(step: Any) -> bool:
    """scikit-learn's own statement; True for steps that make none."""
    try:
        if hasattr(step, "__sklearn_tags__"):
            return step.__sklearn_tags__().requires_fit
        return not step._get_tags()["stateless"]  # before 1.6
    except Exception:  # noqa: BLE001 - a foreign class
        return True


# ---- several trainings ----

def warn_of_repeats(estimator: Any) -> None:
    """Warns of a call that clones the estimator to train it several times: once for each call."""
    frames = [frame for frame in _frames(_REPEATS) if not frame.f_code.co_name.startswith("<")]
    if not frames:
        return
    call = frames[-1].f_locals  # the outermost
    owner = call.get("self")
    # Each call of a search and of a cross-validation has a Parallel of its own. A search clones once before it has one.
    token = next((one for frame in frames if not isinstance(one := frame.f_locals.get("parallel"), type | None)), None)
    if (token is None and hasattr(owner, "_run_search")) or type(owner).__name__.startswith("Voting"):  # trains each once
        return
    token = next(one for one in (token, owner, call.get("estimator"), estimator) if one is not None)
    if token in _warned:
        return
    _warned.add(token)
    name = type(owner).__name__ if owner is not None else f"{frames[-1].f_code.co_name}()"
    text = f"{name} trains {type(estimator).__name__} on private rows several times, and scores it on private rows. "
    total = _total_of(owner, call, estimator) if owner is not None or frames[-1].f_code.co_name in _SPLITTING else None
    if total is not None:
        count, epsilon, delta = total
        text += (f"Its {count} trainings together have epsilon {upward(epsilon)} at delta {upward(delta)}, not the epsilon that the certificate "
                 "of one of them states. ")
    text += ("No certificate covers their selection. Use tune() of the estimator, which releases the best of several trainings "
             "for one charge, and public rows for scores")
    warn(text)


def _total_of(owner: Any, call: dict[str, Any], estimator: Any) -> tuple[int, Decimal, Decimal] | None:
    """(trainings, sum of their epsilons, sum of their deltas) from settings only; None if these do not state them.

    The sums are basic composition: Dwork and Roth 2014, Theorem 3.16.
    """
    splits = _splits_of(getattr(owner, "cv", None) if owner is not None else call.get("cv"))
    candidates = _candidates_of(owner)
    if splits is None or candidates is None or estimator.epsilon is None:
        return None
    found = [tuple(_setting(candidate, name, getattr(estimator, name) or 0.0) for name in ("epsilon", "delta"))
             for candidate in candidates]
    refits = 1 if getattr(owner, "refit", False) else 0  # the candidate is not known: the largest
    with localcontext(Context(prec=60, rounding=ROUND_CEILING)):
        epsilon, delta = (splits * sum(map(Decimal, side)) + refits * Decimal(max(side)) for side in zip(*found, strict=True))
    return splits * len(found) + refits, epsilon, delta


def _setting(candidate: dict[str, Any], name: str, default: float) -> float:
    return next((float(value) for key, value in candidate.items() if key.split("__")[-1] == name), default)


def _splits_of(cv: Any) -> int | None:
    """The number of splits, if a setting states it: it must not be counted from rows."""
    if cv is None:
        return 5  # scikit-learn's default
    splits = getattr(cv, "n_splits", cv)
    repeats = getattr(cv, "n_repeats", None)
    if repeats is not None and hasattr(cv, "cvargs"):
        splits = repeats * cv.cvargs.get("n_splits", 5)
    return splits if isinstance(splits, int) else None


def _candidates_of(owner: Any) -> list[dict[str, Any]] | None:
    if owner is None:
        return [{}]
    from sklearn.model_selection import ParameterGrid

    if hasattr(owner, "param_grid") and not hasattr(owner, "factor"):
        return list(ParameterGrid(owner.param_grid))
    if hasattr(owner, "n_iter") and isinstance(getattr(owner, "param_distributions", None), dict):
        given = owner.param_distributions
        losses = [key for key in given if key.split("__")[-1] in ("epsilon", "delta")]
        if not all(isinstance(given[key], list | tuple) for key in losses):
            return None
        lists = all(isinstance(values, list | tuple) for values in given.values())
        count = min(owner.n_iter, len(ParameterGrid(given))) if lists else owner.n_iter
        return [{key: max(given[key]) for key in losses}] * count  # the choice is random: the largest of each
    return None


def warn_of_refit(estimator: Any, fits: int) -> None:
    """Warns of a second training of one object on private rows that no ledger adds up."""
    sums = [f"{name} {upward(fits * Decimal(value))}" for name in ("epsilon", "delta")
            if (value := getattr(estimator, name)) is not None]
    warn(f"{type(estimator).__name__} was fitted {fits} times on private rows without a ledger. If these are rows of one data set, "
         f"the models together have {' at '.join(sums)}, not what one certificate states. Give ledger=, which adds the losses up")


# ---- scores of the rows of the training ----

def identities_of(X: Any) -> list[Any]:
    """Weak references to X, and to the X of pipelines around the estimator. Lists and dicts have none."""
    objects = [X, *(frame.f_locals.get("X") for frame in _frames("sklearn.pipeline")
                    if _owner_of(frame, "fit", "fit_predict", "score") is not None)]
    found = []
    for one in objects:
        try:
            found.append(weakref.ref(one))
        except TypeError:  # a list, a dict
            pass
    return found


def warn_of_score(estimator: Any, X: Any, fitted_on: list[Any]) -> None:
    """Warns if X is the very object that the estimator was fitted on."""
    known = [one() for one in fitted_on]
    if any(here() is there for here in identities_of(X) for there in known if there is not None):
        warn(f"score() of {type(estimator).__name__} is on the object that it was fitted on: the score is a release of private rows "
             "without noise and without a charge. Score public rows, or release sotto.release.accuracy()")
