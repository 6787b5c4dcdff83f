"""The questions of peers_account_answers.py: what is asked, our plan, and how each peer is asked.

Conventions are the peers' own, as their documentation defines them; a comment says so where it matters. Imports
are inside the calls: a peer that is not installed is no obstacle to the others.
"""

import math

# ---- how the peers are asked; each function returns an epsilon, or a noise multiplier ----


def dp_accounting_event(accountant, relation, event, count, delta):
    from dp_accounting import NeighboringRelation

    tool = accountant(neighboring_relation=NeighboringRelation[relation])
    tool.compose(event, count)
    return tool.get_epsilon(delta)


def google_pld(event_of, count, delta, relation="ADD_OR_REMOVE_ONE"):
    def ask():
        from dp_accounting import dp_event, pld

        return dp_accounting_event(pld.PLDAccountant, relation, event_of(dp_event), count, delta)

    return "dp-accounting PLD", "dp_accounting", ask


def google_rdp(event_of, count, delta, relation="ADD_OR_REMOVE_ONE"):
    def ask():
        from dp_accounting import dp_event, rdp

        return dp_accounting_event(rdp.RdpAccountant, relation, event_of(dp_event), count, delta)

    return "dp-accounting RDP", "dp_accounting", ask


def google_advanced(epsilon, count, delta):
    def ask():
        from dp_accounting.pld import accountant, common

        each = common.DifferentialPrivacyParameters(epsilon, 0)
        return accountant.advanced_composition(each, count, delta)

    return "dp-accounting advanced_composition", "dp_accounting", ask


def google_noise(kind, rate, count, epsilon, delta):
    def ask():
        import dp_accounting
        from dp_accounting import dp_event, pld, rdp

        def event_of(sigma):
            step = dp_event.PoissonSampledDpEvent(rate, dp_event.GaussianDpEvent(sigma))
            return dp_event.SelfComposedDpEvent(step, count)

        accountant = {"PLD": pld.PLDAccountant, "RDP": rdp.RdpAccountant}[kind]
        return dp_accounting.calibrate_dp_mechanism(accountant, event_of, epsilon, delta)

    return f"dp-accounting calibration {kind}", "dp_accounting", ask


def opacus(kind, rate, sigma, count, delta):
    def ask():
        from opacus import accountants

        accountant = accountants.create_accountant(kind)
        accountant.history = [(sigma, rate, count)]
        return accountant.get_epsilon(delta=delta)

    return f"opacus {kind}", "opacus", ask


def opacus_noise(kind, rate, count, epsilon, delta):
    def ask():
        from opacus.accountants.utils import get_noise_multiplier

        return get_noise_multiplier(
            target_epsilon=epsilon,
            target_delta=delta,
            sample_rate=rate,
            steps=count,
            accountant=kind,
        )

    return f"opacus calibration {kind}", "opacus", ask


def prv(rate, sigma, count, delta):
    def ask():
        import prv_accountant

        step = prv_accountant.PoissonSubsampledGaussianMechanism(
            sampling_probability=rate, noise_multiplier=sigma
        )
        accountant = prv_accountant.PRVAccountant(
            prvs=[step], max_self_compositions=[count], eps_error=0.01, delta_error=delta / 1000
        )
        return accountant.compute_epsilon(delta=delta, num_self_compositions=[count])[2]

    return "prv_accountant, upper end", "prv_accountant", ask


def autodp(mechanism_of, count, delta, sampling=None, composition="Composition"):
    """sampling: None, ("poisson", q) or ("without-replacement", q)."""

    def ask():
        from autodp import mechanism_zoo, transformer_zoo

        mechanism = mechanism_of(mechanism_zoo)
        if sampling is not None:
            is_poisson = sampling[0] == "poisson"
            mechanism.neighboring = "add_remove" if is_poisson else "replace_one"
            sample = transformer_zoo.AmplificationBySampling(PoissonSampling=is_poisson)
            mechanism = sample(mechanism, sampling[1], improved_bound_flag=is_poisson)
        compose = getattr(transformer_zoo, composition)()
        return compose([mechanism], [count]).get_approxDP(delta)

    return f"autodp {'RDP' if composition == 'Composition' else composition}", "autodp", ask


def opendp_sum(noise, scale, count, delta):
    """`noise`: laplace (pure), laplace-zcdp or gaussian, on one integer that a record moves by 1."""

    def ask():
        import opendp.prelude as dp

        dp.enable_features("contrib")
        space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
        if noise == "laplace":
            return dp.c.make_composition([dp.m.make_laplace(*space, scale=scale)] * count).map(1)
        if noise == "laplace-zcdp":
            release = dp.c.make_pureDP_to_zCDP(dp.m.make_laplace(*space, scale=scale))
        else:
            release = dp.m.make_gaussian(*space, scale=scale)
        composed = dp.c.make_zCDP_to_approxDP(dp.c.make_composition([release] * count))
        return composed.map(1).epsilon(delta=delta)

    return "opendp, pure" if noise == "laplace" else "opendp, zCDP", "opendp", ask


def diffprivlib_total(epsilon, count, delta):
    def ask():
        import diffprivlib

        accountant = diffprivlib.BudgetAccountant(slack=delta, spent_budget=[(epsilon, 0)] * count)
        return accountant.total()[0]

    return "diffprivlib BudgetAccountant", "diffprivlib", ask


# ---- the questions: what is asked, our plan, and the peers; notes say what their fault is ----


def dp_sgd(rate, sigma, count, delta, peers, notes=None):
    """Poisson-sampled Gaussian steps, one record added or removed."""

    def event_of(events):
        return events.PoissonSampledDpEvent(rate, events.GaussianDpEvent(sigma))

    known = {
        "pld": google_pld(event_of, count, delta),
        "rdp": google_rdp(event_of, count, delta),
        "opacus-rdp": opacus("rdp", rate, sigma, count, delta),
        "opacus-prv": opacus("prv", rate, sigma, count, delta),
        "opacus-gdp": opacus("gdp", rate, sigma, count, delta),
        "prv": prv(rate, sigma, count, delta),
        "autodp": autodp(lambda zoo: zoo.GaussianMechanism(sigma), count, delta, ("poisson", rate)),
    }
    events = [{"noise_multiplier": sigma, "sampling": {"method": "poisson", "rate": rate}}]
    events[0]["count"] = count
    return {
        "question": f"DP-SGD: rate {rate:g}, noise {sigma:g}, {count:.7g} steps, δ {delta:g}",
        "adjacency": "add-remove",
        "events": events,
        "delta": delta,
        "peers": [(*known[name], (notes or {}).get(name, "")) for name in peers],
    }


def noise_for(rate, count, epsilon, delta):
    step = {"noise_multiplier": "search", "sampling": {"method": "poisson", "rate": rate}}
    warned = "warns that it may be too small"
    return {
        "question": f"noise of DP-SGD: rate {rate:g}, {count} steps, ε {epsilon:g}, δ {delta:g}",
        "adjacency": "add-remove",
        "events": [{**step, "count": count}],
        "delta": delta,
        "epsilon": epsilon,
        "peers": [
            (*opacus_noise("gdp", rate, count, epsilon, delta), warned),
            (*opacus_noise("rdp", rate, count, epsilon, delta), "the default"),
            (*opacus_noise("prv", rate, count, epsilon, delta), "stops 0.01 below the target"),
            (*google_noise("RDP", rate, count, epsilon, delta), ""),
            (*google_noise("PLD", rate, count, epsilon, delta), ""),
        ],
    }


def question(text, adjacency, event, count, delta, peers):
    return {
        "question": f"{count} × {text}, {adjacency}, δ {delta:g}",
        "adjacency": adjacency,
        "events": [{**event, "count": count}],
        "delta": delta,
        "peers": peers,
    }


def randomized_response(epsilon, categories, count, delta):
    noise = categories / (math.expm1(epsilon) + categories)  # probability of a uniform answer

    def event_of(events):
        return events.RandomizedResponseDpEvent(noise, categories)

    return question(
        f"randomized response, {categories} answers, ε {epsilon:.6g}",
        "replace-one",
        {"mechanism": "randomized-response", "epsilon": epsilon, "categories": categories},
        count,
        delta,
        [
            (*google_pld(event_of, count, delta, "REPLACE_ONE"), "the count is ignored"),
            (*google_rdp(event_of, count, delta, "REPLACE_ONE"), ""),
        ],
    )


def gaussian_exchange(sigma, count, delta):
    """dp_event.py: "||v_i|| <= C, the noise_multiplier is defined as s / C"; an exchange moves 2C."""

    def event_of(events):
        return events.GaussianDpEvent(sigma)

    return question(
        f"Gaussian, standard deviation {sigma:g} C",
        "replace-one",
        {"noise_multiplier": sigma / 2.0},
        count,
        delta,
        [
            (
                *google_rdp(event_of, count, delta, "REPLACE_ONE"),
                "takes an exchange to move C; its PLD, and the definition of the event, say 2C",
            ),
            (*google_pld(event_of, count, delta, "REPLACE_ONE"), ""),
        ],
    )


def fixed_size(population, batch, sigma, count, delta):
    """Both sides read sigma relative to what an exchange moves the batch's sum."""

    def event_of(events):
        return events.SampledWithoutReplacementDpEvent(
            population, batch, events.GaussianDpEvent(sigma)
        )

    sampling = {"method": "without-replacement", "population": population, "batch": batch}
    rate = ("without-replacement", batch / population)
    return question(
        f"Gaussian, noise {sigma:g}, batches of {batch} out of {population}",
        "replace-one",
        {"noise_multiplier": sigma, "sampling": sampling},
        count,
        delta,
        [
            (*google_pld(event_of, count, delta, "REPLACE_ONE"), "no such event"),
            (*google_rdp(event_of, count, delta, "REPLACE_ONE"), ""),
            (*autodp(lambda zoo: zoo.GaussianMechanism(sigma), count, delta, rate), ""),
        ],
    )


def laplace(scale, count, delta):
    scipy_note = "a recent SciPy confines its search to e^ε ≤ 1"
    return question(
        f"Laplace, noise {scale:g}",
        "add-remove",
        {"mechanism": "laplace", "noise_multiplier": scale},
        count,
        delta,
        [
            (
                *autodp(
                    lambda zoo: zoo.LaplaceMechanism(scale, phi_off=False),
                    count,
                    delta,
                    composition="ComposeAFA",
                ),
                scipy_note,
            ),
            (*autodp(lambda zoo: zoo.LaplaceMechanism(scale), count, delta), ""),
            (*google_rdp(lambda events: events.LaplaceDpEvent(scale), count, delta), ""),
            (*google_pld(lambda events: events.LaplaceDpEvent(scale), count, delta), ""),
        ],
    )


def sampled_laplace(rate, scale, count, delta):
    def event_of(events):
        return events.PoissonSampledDpEvent(rate, events.LaplaceDpEvent(scale))

    return question(
        f"Laplace, noise {scale:g}, Poisson rate {rate:g}",
        "add-remove",
        {
            "mechanism": "laplace",
            "noise_multiplier": scale,
            "sampling": {"method": "poisson", "rate": rate},
        },
        count,
        delta,
        [
            (*google_pld(event_of, count, delta), ""),
            (
                *autodp(lambda zoo: zoo.LaplaceMechanism(scale), count, delta, ("poisson", rate)),
                "",
            ),
        ],
    )


def discrete(mechanism, scale, count, delta):
    scale_key = "sigma" if mechanism == "discrete-gaussian" else "scale"
    peers = [(*opendp_sum("gaussian", scale, count, delta), "")]
    if mechanism == "discrete-laplace":
        peers = [
            (*opendp_sum("laplace", scale, count, delta), "its default: epsilons are added"),
            (*opendp_sum("laplace-zcdp", scale, count, delta), ""),
            (
                *google_pld(
                    lambda events: events.DiscreteLaplaceDpEvent(1.0 / scale, 1), count, delta
                ),
                "",
            ),
        ]
    return question(
        f"{mechanism.replace('-', ' ')}, scale {scale:g}, sensitivity 1",
        "add-remove",
        {"mechanism": mechanism, scale_key: scale, "sensitivity": 1},
        count,
        delta,
        peers,
    )


def pure(epsilon, count, delta):
    return question(
        f"any {epsilon:g}-DP release",
        "add-remove",
        {"mechanism": "pure", "epsilon": epsilon},
        count,
        delta,
        [
            (*diffprivlib_total(epsilon, count, delta), ""),
            (*google_advanced(epsilon, count, delta), ""),
        ],
    )


def questions():
    rounding = {name: "rounding of tiny masses" for name in ("pld", "opacus-prv")}
    return [
        dp_sgd(1e-5, 0.6, 10**6, 1e-10, ["opacus-prv", "pld"], rounding),
        dp_sgd(3e-5, 0.6, 300000, 1e-10, ["opacus-prv", "pld", "prv", "rdp"], rounding),
        dp_sgd(1e-5, 0.5, 10**6, 1e-9, ["opacus-prv", "pld"], rounding),
        dp_sgd(1e-4, 0.4, 10**6, 1e-9, ["pld"], rounding),
        dp_sgd(
            0.01,
            1.0,
            10000,
            1e-5,
            ["opacus-gdp", "opacus-prv", "prv", "opacus-rdp", "rdp", "autodp", "pld"],
            {"opacus-gdp": "warns that it may be too small"},
        ),
        dp_sgd(1e-5, 1.0, 10**5, 1e-6, ["pld", "prv", "opacus-prv", "opacus-rdp", "rdp", "autodp"]),
        dp_sgd(1e-6, 1.0, 10**6, 1e-6, ["pld", "opacus-prv", "rdp"]),
        dp_sgd(0.001, 100.0, 10000, 1e-5, ["opacus-rdp", "opacus-prv", "rdp", "pld"]),
        dp_sgd(0.5, 5.0, 1000, 1e-5, ["rdp", "opacus-rdp"], {"rdp": "gives up the orders below 2"}),
        dp_sgd(0.01, 1.0, 10000, 1e-20, ["pld", "opacus-prv", "prv", "rdp"]),
        noise_for(0.01, 1000, 1.0, 1e-5),
        randomized_response(math.log(3.0), 4, 10, 1e-6),
        gaussian_exchange(10.0, 100, 1e-6),
        fixed_size(60000, 256, 1.1, 14063, 1e-5),
        laplace(10.0, 100, 1e-6),
        sampled_laplace(0.01, 1.0, 1000, 1e-6),
        discrete("discrete-laplace", 10.0, 100, 1e-6),
        discrete("discrete-gaussian", 10.0, 100, 1e-6),
        pure(0.01, 1000, 1e-6),
        pure(0.01, 2000, 1e-6),
        pure(1.0, 100, 1e-6),
    ]
