"""sotto.account asks the library, and says what the library says."""

import copy
import doctest
import gc
import json
import math
import pickle

import pytest
import sotto
from sotto import account

GAUSSIAN = account.event("gaussian", noise_multiplier=1.1, rate=0.004, count=15000)


def test_epsilon_of_a_sampled_gaussian_is_bracketed():
    answer = account.epsilon(GAUSSIAN, delta=1e-5)
    assert answer.epsilon == pytest.approx(2.29537019666, rel=1e-9)
    assert answer.epsilon_lower <= answer.epsilon <= answer.epsilon_lower * (1 + 1e-9)
    assert (answer.accountant, answer.kernel) == ("exact", "contour")
    assert answer.adjacency == "add-remove"
    assert answer.order is None and answer.noise_multiplier is None and answer.steps is None


def test_delta_is_the_inverse_of_epsilon():
    epsilon = account.epsilon(GAUSSIAN, delta=1e-5).epsilon
    answer = account.delta(GAUSSIAN, epsilon=epsilon)
    assert answer.epsilon == epsilon
    assert answer.delta == pytest.approx(1e-5, rel=1e-8)


def test_noise_and_steps_return_the_safe_side():
    found = account.noise(account.event(noise_multiplier=account.SEARCH), epsilon=1, delta=1e-6)
    # Balle & Wang 2018: sigma over the sensitivity at (1, 1e-6) is 4.224678889327.
    assert 4.224678889327 <= found.noise_multiplier <= 4.224678889327 * (1 + 1e-6)
    assert found.epsilon <= 1
    step = account.event(noise_multiplier=1, rate=0.01, count=account.SEARCH)
    most = account.steps(step, epsilon=1, delta=1e-6)
    assert most.epsilon <= 1
    assert account.epsilon({**step, "count": most.steps + 1}, delta=1e-6).epsilon > 1


def test_the_rate_found_is_the_largest_that_is_certified():
    step = account.event(noise_multiplier=1, rate=account.SEARCH, count=500)
    found = account.rate(step, epsilon=1, delta=1e-6)
    assert found.epsilon <= 1
    more = account.event(noise_multiplier=1, rate=found.rate * (1 + 2e-6), count=500)
    assert account.epsilon(more, delta=1e-6).epsilon > 1


def test_a_plan_may_be_an_event_a_list_a_dict_or_json():
    plan = {"adjacency": "add-remove", "events": [GAUSSIAN]}
    expected = account.epsilon(plan, delta=1e-5)
    for same in (GAUSSIAN, [GAUSSIAN], (GAUSSIAN,), json.dumps(plan), account.canonical(GAUSSIAN)):
        assert account.epsilon(same, delta=1e-5) == expected
    assert json.loads(account.canonical(plan)) == plan


def test_other_accountants_and_adjacencies_have_names():
    plan = [account.event("pure", epsilon=0.125, count=3), account.event("gdp", mu=0.5)]
    basic = account.epsilon(plan, delta=1e-6, accountant="basic")
    rdp = account.epsilon(plan, delta=1e-6, accountant="rdp", adjacency="replace-one")
    exact = account.epsilon(plan, delta=1e-6)
    assert (basic.accountant, rdp.accountant) == ("basic", "rdp")
    assert rdp.adjacency == "replace-one" and rdp.order > 1 and rdp.epsilon_lower is None
    assert exact.epsilon <= min(basic.epsilon, rdp.epsilon)


def test_renyi_divergence_of_a_gaussian():
    # order / (2 sigma^2), rounded up.
    assert account.rdp(account.event(noise_multiplier=2), order=3) == pytest.approx(0.375)


def test_errors_carry_status_and_the_librarys_words():
    with pytest.raises(sotto.InvalidArgumentError, match="events\\[0\\].mechanism") as caught:
        account.epsilon(account.event("gausian"), delta=1e-5)
    assert caught.value.status is sotto.Status.PARSE
    assert isinstance(caught.value, (sotto.SottoError, ValueError))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), copy.status, str(copy)) == (
        sotto.InvalidArgumentError, sotto.Status.PARSE, str(caught.value))


@pytest.mark.parametrize("ask", [
    lambda: account.epsilon([], delta=1e-5),
    lambda: account.epsilon(GAUSSIAN, delta=-1),
    lambda: account.epsilon(GAUSSIAN, delta=math.nan),
    lambda: account.epsilon(GAUSSIAN, delta=1e-5, accountant="exakt"),
    lambda: account.epsilon(GAUSSIAN, delta=1e-5, adjacency="both"),
    lambda: account.epsilon({"adjacency": "add-remove", "events": [GAUSSIAN]}, delta=1e-5,
                            adjacency="replace-one"),
    lambda: account.epsilon(account.event(noise_multiplier=math.nan), delta=1e-5),
    lambda: account.epsilon(account.event(noise_multiplier=1.5, sigm=2), delta=1e-5),
    lambda: account.epsilon("{", delta=1e-5),
    lambda: account.noise(GAUSSIAN, epsilon=1, delta=1e-5),
    lambda: account.rdp(GAUSSIAN, order=1),
])
def test_nonsense_is_refused(ask):
    with pytest.raises(ValueError):
        ask()


def test_no_finite_epsilon_is_an_error_of_its_own():
    with pytest.raises(sotto.SottoError) as caught:
        account.epsilon(account.event(noise_multiplier=1), delta=0)
    assert caught.value.status is sotto.Status.UNREACHABLE


def test_a_handle_is_not_copied():
    with pytest.raises(TypeError, match="cannot be copied"):
        copy.deepcopy(account.PlanHandle(GAUSSIAN, None))


def test_plans_are_freed():
    for _ in range(1000):
        account.canonical(GAUSSIAN)
    gc.collect()
    assert not [thing for thing in gc.get_objects() if type(thing).__name__ == "_Plan"]


def test_the_examples_of_the_module_run():
    assert doctest.testmod(account) == (0, 6)
