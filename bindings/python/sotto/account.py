"""The privacy loss of a list of releases; reads no data.

A plan is a list of events. Each event is a dict as in the JSON plan of docs/reference/accounting.md, or made
by :func:`event`. A plan may also be that JSON text, or a dict with ``"events"`` and ``"adjacency"``. The answers are certified upper bounds.

>>> import sotto
>>> step = sotto.account.event("gaussian", noise_multiplier=1.1, rate=0.004, count=15000)
>>> round(sotto.account.epsilon(step, delta=1e-5).epsilon, 6)
2.29537
"""

from __future__ import annotations

import dataclasses
import decimal
import json
import math
import operator
from collections.abc import Mapping, Sequence
from ctypes import byref, c_double, c_uint64
from typing import Any

from . import _library
from ._library import call, text_of

#: Stands for what :func:`noise`, :func:`steps` or :func:`rate` is to find: noise, count, rate.
SEARCH = "search"

Event = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Account:
    """A certified answer.

    ``epsilon`` and ``delta`` are an upper bound and its target. The ``_lower`` fields are lower
    bounds, or None if the accountant has none. ``kernel`` names the computation, ``order`` its
    Renyi order if it has one. The others are None, except the result of :func:`noise`, :func:`steps`,
    :func:`rate` or :meth:`sotto.pate.Vote.answers`.
    """

    epsilon: float
    epsilon_lower: float | None
    delta: float
    delta_lower: float | None
    order: float | None
    accountant: str
    kernel: str
    adjacency: str
    noise_multiplier: float | None = None
    steps: int | None = None
    rate: float | None = None
    answers: int | None = None


def whole(name: str, value: Any) -> int:
    """A setting for a field without a sign, where ctypes would wrap a negative number."""
    number = operator.index(value)
    if not 0 <= number < 2**63:
        raise ValueError(f"{name} is {value!r}; give a whole number that is not negative")
    return number


def upward(value: float | decimal.Decimal) -> str:
    """A privacy loss with six digits, rounded up."""
    return f"{float(decimal.Context(prec=6, rounding=decimal.ROUND_CEILING).create_decimal(value)):g}"


def event(mechanism: str = "gaussian", *, rate: float | str | None = None,
          **parameters: Any) -> dict:
    """One event of a plan: its mechanism and the mechanism's parameters.

    ``rate`` is the probability of Poisson sampling, ``count`` the number of times the event happens.
    """
    made = {"mechanism": mechanism, **parameters}
    if rate is not None:
        made["sampling"] = {"method": "poisson", "rate": rate}
    return made


class Plan:
    """A list of releases: it is priced here, and a ledger charges it. No row is read.

    ``events`` is one event, a list of them, or the JSON of docs/reference/accounting.md. ``+`` composes two plans.

    >>> import sotto
    >>> plan = sotto.Plan({"mechanism": "pure", "epsilon": 0.5, "count": 2})
    >>> plan.epsilon(delta=0).epsilon, (plan + plan).epsilon(delta=0).epsilon
    (1.0, 2.0)
    """

    def __init__(self, events: Plans, *, adjacency: str | None = None):
        self.json = canonical(events, adjacency=adjacency)
        members = json.loads(self.json)
        self.events: list[dict[str, Any]] = members["events"]
        self.adjacency: str = members["adjacency"]

    def epsilon(self, *, delta: float, accountant: str = "exact") -> Account:
        """The smallest certified epsilon at ``delta``: see :func:`epsilon`."""
        return epsilon(self, delta=delta, accountant=accountant)

    def delta(self, *, epsilon: float, accountant: str = "exact") -> Account:
        """The smallest certified delta at ``epsilon``: see :func:`delta`."""
        return delta(self, epsilon=epsilon, accountant=accountant)

    def __add__(self, other: Plan) -> Plan:
        ours, theirs = json.loads(self.json), json.loads(other.json)
        rest = {name: value for name, value in ours.items() if name != "events"}
        for name in sorted({*rest, *theirs} - {"events"}):
            if rest.get(name) != theirs.get(name):
                raise ValueError(f"the plans differ in {name}: {rest.get(name)!r} and {theirs.get(name)!r}; their losses do "
                                 "not add up")
        return Plan({**rest, "events": [*ours["events"], *theirs["events"]]})

    def __eq__(self, other: object) -> bool:
        return self.json == other.json if isinstance(other, Plan) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.json)

    def __repr__(self) -> str:
        return f"sotto.Plan({self.events!r}, adjacency={self.adjacency!r})"


Plans = Plan | str | Event | Sequence[Event]


class PlanHandle(_library.Handle):
    """A plan of the library's."""

    def __init__(self, plan: Plans, adjacency: str | None):
        super().__init__("sotto_plan_free")
        text = _plan_json(plan, adjacency).encode()
        call("sotto_plan_parse", text, len(text), byref(self.pointer))


def _plan_json(plan: Plans, adjacency: str | None) -> str:
    if isinstance(plan, Plan):
        plan = plan.json
    if isinstance(plan, str):
        if adjacency is None:
            return plan
        plan = json.loads(plan)
    if not isinstance(plan, Mapping):
        plan = {"events": list(plan)}
    elif "events" not in plan:
        plan = {"events": [plan]}
    if adjacency is not None:
        if plan.get("adjacency", adjacency) != adjacency:
            raise ValueError(f"adjacency is {adjacency!r}, but the plan says "
                             f"{plan['adjacency']!r}; give one of them")
        plan = {**plan, "adjacency": adjacency}
    return json.dumps(plan)


def _accountant(name: str) -> int:
    return _library.value_of_name("sotto_accountant_from_name", name)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def answer_of(account: _library.Account, **found: Any) -> Account:
    """The library's answer as a Python object, with the other results."""
    return Account(
        epsilon=account.epsilon,
        epsilon_lower=_known(account.epsilon_lower),
        delta=account.delta,
        delta_lower=_known(account.delta_lower),
        order=_known(account.order),
        accountant=text_of("sotto_accountant_name", account.accountant),
        kernel=text_of("sotto_kernel_name", account.kernel),
        adjacency=text_of("sotto_adjacency_name", account.adjacency),
        **found,
    )


def epsilon(plan: Plans, *, delta: float, accountant: str = "exact",
            adjacency: str | None = None) -> Account:
    """The smallest certified epsilon of a plan at ``delta``."""
    handle, account = PlanHandle(plan, adjacency), _library.Account()
    call("sotto_account_epsilon", handle.pointer, _accountant(accountant), delta, byref(account))
    return answer_of(account)


def delta(plan: Plans, *, epsilon: float, accountant: str = "exact",
          adjacency: str | None = None) -> Account:
    """The smallest certified delta of a plan at ``epsilon``."""
    handle, account = PlanHandle(plan, adjacency), _library.Account()
    call("sotto_account_delta", handle.pointer, _accountant(accountant), epsilon, byref(account))
    return answer_of(account)


def noise(plan: Plans, *, epsilon: float, delta: float, accountant: str = "exact",
          adjacency: str | None = None) -> Account:
    """The least noise that meets a target.

    It is put into every event whose noise_multiplier is :data:`SEARCH`.
    """
    handle, account, found = PlanHandle(plan, adjacency), _library.Account(), c_double()
    call("sotto_account_noise", handle.pointer, _accountant(accountant), epsilon, delta,
         byref(found), byref(account))
    return answer_of(account, noise_multiplier=found.value)


def steps(plan: Plans, *, epsilon: float, delta: float, accountant: str = "exact",
          adjacency: str | None = None) -> Account:
    """The most releases that meet a target.

    The number is put into every event whose count is :data:`SEARCH`.
    """
    handle, account, found = PlanHandle(plan, adjacency), _library.Account(), c_uint64()
    call("sotto_account_steps", handle.pointer, _accountant(accountant), epsilon, delta,
         byref(found), byref(account))
    return answer_of(account, steps=found.value)


def rate(plan: Plans, *, epsilon: float, delta: float, accountant: str = "exact",
         adjacency: str | None = None) -> Account:
    """The largest rate of Poisson sampling that meets a target.

    The rate is put into every event whose rate is :data:`SEARCH`.
    """
    handle, account, found = PlanHandle(plan, adjacency), _library.Account(), c_double()
    call("sotto_account_rate", handle.pointer, _accountant(accountant), epsilon, delta,
         byref(found), byref(account))
    return answer_of(account, rate=found.value)


def runs_of(mean: float, distribution: str = "negative-binomial",
            eta: float | None = None) -> _library.Runs:
    """The distribution of a secret number of runs, as a struct of the library."""
    law = _library.value_of_name("sotto_runs_law_from_name", distribution)
    shape = float(eta) if eta is not None else math.nan if distribution == "poisson" else 1.0
    runs = _library.Runs()
    call("sotto_runs_from_mean", law, shape, float(mean), byref(runs))
    return runs


def selection(plan: Plans, *, runs_mean: float, delta: float,
              distribution: str = "negative-binomial", eta: float | None = None,
              adjacency: str | None = None) -> Account:
    """Epsilon of the best of a secret number of runs of a plan, `runs_mean` on average.

    The plan prices one run, its score included; only the winner leaves (docs/explanation/selection.md).
    ``eta`` is the shape of the negative binomial: 1 (default) geometric, 0 logarithmic.
    """
    handle, account = PlanHandle(plan, adjacency), _library.Account()
    runs = runs_of(runs_mean, distribution, eta)
    call("sotto_account_selection", handle.pointer, byref(runs), float(delta), byref(account))
    return answer_of(account)


def rdp(plan: Plans, *, order: float, adjacency: str | None = None) -> float:
    """A bound on the Renyi divergence of the whole plan at a real order above 1."""
    handle, bound = PlanHandle(plan, adjacency), c_double()
    call("sotto_account_rdp", handle.pointer, order, byref(bound))
    return bound.value


def canonical(plan: Plans, *, adjacency: str | None = None) -> str:
    """The plan as JSON in the one spelling that certificates use."""
    handle = PlanHandle(plan, adjacency)
    return _library.owned_text("sotto_plan_to_json", handle.pointer)
