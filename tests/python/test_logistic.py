"""LogisticRegression: what is trained, what it promises, what it refuses."""

import copy
import json
import os
import pathlib
import pickle
import signal
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest
import sotto

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = pathlib.Path(os.environ["SOTTO_BUILD"]) / "sotto"
SURVEY = {
    "dataset": "survey-2026",
    "target": "smokes",
    "unit": {"column": "person", "rows": 2},
    "columns": [
        {"name": "person", "type": "id"},
        {"name": "age", "type": "number", "lower": 18, "upper": 90, "missing": 45},
        {"name": "town", "type": "category", "missing": "elsewhere",
         "values": ["Lund", "Ystad", "Malmo", "Kivik", "elsewhere"]},
        {"name": "smokes", "type": "boolean", "missing": False},
        {"name": "visits", "type": "integer", "lower": 0, "upper": 12, "missing": 0},
        {"name": "income", "type": "ignore"},
        {"name": "offer", "type": "number", "lower": 0, "upper": 25, "missing": 0},
    ],
}


def rows(count=2000, seed=1):
    random = np.random.default_rng(seed)
    X = random.normal(size=(count, 3))
    return X, (X @ [1.0, -2.0, 0.5] > 0).astype(np.int64)


def private(**settings):
    """A private estimator for rows(), with everything public given."""
    return sotto.LogisticRegression(**{"epsilon": 1.0, "delta": 1e-6, "data_norm": 3.0,
                                       "classes": [0, 1], **settings})


def seeded(X, y, **settings):
    """The coefficients of a training whose noise is repeatable."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sotto.PrivacyWarning)
        return private(insecure_test_seed=3, **settings).fit(X, y).coef_


# ---- the model ----


def test_a_private_model_predicts():
    X, y = rows()
    model = private().fit(X, y)
    assert model.score(*rows(seed=2)) > 0.9
    assert (model.n_features_in_, model.coef_.shape, model.intercept_.shape) == (3, (1, 3), (1,))
    assert model.classes_.tolist() == [0, 1]
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-15)
    np.testing.assert_array_equal(model.predict(X), (probabilities[:, 1] >= 0.5).astype(int))
    short = X[np.linalg.norm(X, axis=1) < 3]  # longer rows are shrunk to the norm bound
    np.testing.assert_allclose(model.decision_function(short),
                               short @ model.coef_[0] + model.intercept_[0], atol=1e-5)
    np.testing.assert_array_equal(model.predict_log_proba(X), np.log(probabilities))


def test_two_trainings_have_different_noise():
    X, y = rows(200)
    assert not np.array_equal(private().fit(X, y).coef_, private().fit(X, y).coef_)


def test_the_layout_in_memory_does_not_matter():
    X, y = rows(500)
    expected = seeded(X, y)
    wide = np.zeros((1000, 9))
    wide[::2, 1:7:2] = X
    for same in (np.asfortranarray(X), wide[::2, 1:7:2], X[::-1][::-1], X.tolist(),
                 X.astype(object), pd.DataFrame(X), pd.DataFrame(X, columns=list("abc"))):
        np.testing.assert_array_equal(seeded(same, y), expected)
    for labels in (y.astype(np.int32), y.astype(np.uint8), y.astype(bool), y.astype(float),
                   y.astype(np.int16), y.tolist(), pd.Series(y), y.astype(object)):
        np.testing.assert_array_equal(seeded(X, labels), expected)
    np.testing.assert_array_equal(seeded(X, y, threads=1), seeded(X, y, threads=2))


@pytest.mark.parametrize("settings", [
    {"delta": None}, {"adjacency": "replace-one", "public_n": 2000}, {"method": "objective"},
    {"method": "output", "expected_rows": 2000}, {"method": "gd", "expected_rows": 2000},
    {"method": "gd", "expected_rows": 2000, "steps": 20, "learning_rate": 2.0},
    {"lambda_": 20.0}, {"method": "output", "lambda_": "theory", "expected_rows": 2000},
    {"calibration": "kifer"}, {"calibration": "redberg"}, {"fit_intercept": False},
    {"calibration": "chaudhuri", "adjacency": "replace-one", "delta": None},
    {"norm_rule": "scale", "data_norm": 1.0}, {"data_norm": None, "bounds": (-4, 4)},
    {"data_norm": 1.5, "bounds": ([-4, -4, -4], [4, 4, 4])}, {"intercept_scaling": 0.5},
], ids=str)
def test_every_setting_reaches_the_library(settings):
    X, y = rows()
    model = private(epsilon=4.0, **settings).fit(X, y)
    stated = json.loads(model.model_json_)
    assert model.score(X, y) > 0.85
    assert stated["epsilon"] == 4.0
    assert stated["adjacency"] == settings.get("adjacency", "add-remove")
    assert stated["method"] == settings.get("method", "objective")
    assert stated["schema"]["intercept"] == (
        settings.get("intercept_scaling", 1.0) if settings.get("fit_intercept", True) else 0.0)
    if isinstance(settings.get("lambda_"), float):
        assert stated["settings"]["lambda"] == settings["lambda_"]
    if "steps" in settings:
        assert stated["settings"]["steps"] == settings["steps"]
    model.model_.verify()


def test_a_plan_says_what_a_training_will_do():
    X, y = rows()
    for settings in ({}, {"delta": None}, {"method": "gd", "expected_rows": 2000}):
        estimator = private(**settings)
        planned = estimator.plan(3)
        done = json.loads(estimator.fit(X, y).model_json_)
        assert planned["epsilon_of_plan"] <= 1.0
        for name in ("method", "epsilon", "delta", "adjacency"):
            assert planned.get(name) == done.get(name), name
        for name, value in done["settings"].items():
            assert planned["settings"].get(name, value) == value, name
    assert sotto.LogisticRegression(1.0, schema=SURVEY).plan()["dimension"] == 9
    for unknown in (private(classes=None), private()):
        with pytest.raises(ValueError, match="give n_features"):
            unknown.plan()


# ---- what it promises ----


def test_the_certificate_states_what_was_asked_and_holds():
    model = private().fit(*rows())
    certificate = model.certificate_
    assert certificate["private"] and certificate["epsilon"] <= 1.0
    assert (certificate["delta"], certificate["adjacency"]) == (1e-6, "add-remove")
    assert any("label set" in fact for fact in certificate["unprotected"])
    model.model_.verify()
    assert {"schema", "coefficients", "certificate.noise_source"} <= set(model.model_.believed_)
    with pytest.raises(sotto.VerificationError, match="not signed"):
        model.model_.verify(signed_by="ed25519:" + 32 * "58")
    with pytest.raises(sotto.VerificationError, match="states no ledger"):
        model.model_.verify(ledger="budget.ledger")
    assert "Privacy certificate" in model.model_.certificate_page()
    assert model.model_.certificate_page("html").startswith("<!")
    with pytest.raises(ValueError, match="give 'text', 'markdown' or 'html'"):
        model.model_.certificate_page("pdf")


def test_a_tampered_certificate_does_not_hold():
    text = private().fit(*rows()).model_json_
    forged = text.replace('"epsilon": 1.0', '"epsilon": 0.5', 1)
    assert forged != text
    with pytest.raises(sotto.SottoError) as caught:
        sotto.Model(forged).verify()
    assert caught.value.status is sotto.Status.VERIFICATION


def test_a_seed_is_not_private_and_says_so():
    X, y = rows(200)
    with pytest.warns(sotto.PrivacyWarning, match="NOT PRIVATE"):
        model = private(insecure_test_seed=3).fit(X, y)
    assert not model.certificate_["private"]
    with pytest.raises(sotto.VerificationError):
        model.model_.verify()


def test_classes_are_declared_and_never_read_from_private_rows():
    X, y = rows(200)
    with pytest.raises(ValueError, match=r"give classes=, for example classes=\[0, 1\]"):
        private(classes=None).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        private().fit(X, y)
        public = private(epsilon=None, delta=None, method="none", classes=None, data_is_public=True)
        assert public.fit(X, 3 * y).classes_.tolist() == [0, 3]


def test_no_row_can_stop_a_training():
    X, y = rows(100)
    X[3] = np.nan
    X[4] = np.inf
    X[5, 1] = -np.inf
    X[6] = 1e300
    y = y.astype(float)
    y[7:10] = [np.nan, np.inf, 17]
    model = private().fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
    assert private().fit(X[:0], y[:0]).predict(X).shape == (100,)
    assert private().fit(X[:1], y[:1]).predict(X).shape == (100,)
    odd = X.astype(object)
    odd[0, 0], odd[1, 1], odd[2, 2] = {"foo": "bar"}, "x", None
    assert private().fit(odd, y).predict(odd).shape == (100,)


@pytest.mark.parametrize("classes, y", [
    (["no", "yes"], lambda y: np.where(y, "yes", "no")),
    ([-1, 1], lambda y: 2 * y - 1),
    ([False, True], lambda y: y.astype(bool)),
    ([0.5, 2.5], lambda y: y * 2 + 0.5),
    (np.array(["b", "a"]), lambda y: np.where(y, "a", "b").astype(object)),
], ids=["texts", "signs", "booleans", "numbers", "order"])
@pytest.mark.parametrize("public", [{"data_norm": 3.0}, {"data_norm": None, "bounds": (-4, 4)}],
                         ids=["matrix", "table"])
def test_classes_may_be_texts_numbers_or_booleans(classes, y, public):
    X, place = rows()
    labels = y(place)
    model = private(epsilon=8.0, classes=classes, **public).fit(X, labels)
    assert model.classes_.tolist() == list(classes)
    assert np.mean(model.predict(X) == labels) == pytest.approx(model.score(X, labels))
    assert model.score(X, labels) > 0.9
    assert (model.predict(X) == model.classes_[1]).tolist() == (
        model.decision_function(X) >= 0).tolist()


# ---- tables ----


def survey():
    return pd.read_csv(ROOT / "examples" / "survey.csv")


def test_a_frame_trains_like_the_file_it_came_from(tmp_path):
    (tmp_path / "schema.json").write_text(json.dumps(SURVEY), encoding="utf-8")
    subprocess.run([COMMAND, "train", ROOT / "examples" / "survey.csv", "--schema", "schema.json",
                    "--model", "logistic", "--epsilon", "2", "--insecure-test-seed", "5",
                    "--output", "model.json"], check=True, capture_output=True, cwd=tmp_path)
    expected = sotto.load(tmp_path / "model.json")
    read = sotto.Schema(tmp_path / "schema.json")
    for schema in (SURVEY, json.dumps(SURVEY), tmp_path / "schema.json", sotto.Schema(SURVEY),
                   copy.deepcopy(read), pickle.loads(pickle.dumps(read))):
        with pytest.warns(sotto.PrivacyWarning):
            model = sotto.LogisticRegression(2.0, schema=schema, insecure_test_seed=5).fit(survey())
        np.testing.assert_array_equal(model.coef_, expected.coef_)
        np.testing.assert_array_equal(model.intercept_, expected.intercept_)
    assert model.model_.encoded_features_ == expected.encoded_features_ == [
        "age", "town=Lund", "town=Ystad", "town=Malmo", "town=Kivik", "town=elsewhere", "visits",
        "offer"]
    assert model.classes_.tolist() == expected.classes_.tolist() == [False, True]
    assert model.feature_names_in_.tolist() == list(survey().columns)
    scored = subprocess.run([COMMAND, "evaluate", "model.json", ROOT / "examples" / "survey.csv",
                             "--data-is-public", "--json"], check=True, capture_output=True,
                            cwd=tmp_path)
    told = json.loads(scored.stdout)
    ours = expected.evaluate(survey())
    assert (ours["rows"], ours["accuracy"], ours["auc"]) == (
        told["rows"], told["accuracy"], told["auc"])


def test_columns_are_found_by_name_and_labels_may_come_apart():
    frame = survey()
    mixed = frame[frame.columns[::-1]].drop(columns=["smokes", "income"])
    y = [value == "yes" for value in frame["smokes"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sotto.PrivacyWarning)
        whole = sotto.LogisticRegression(2.0, schema=SURVEY, insecure_test_seed=5).fit(frame)
        apart = sotto.LogisticRegression(2.0, schema=SURVEY, insecure_test_seed=5).fit(mixed, y)
    np.testing.assert_array_equal(whole.coef_, apart.coef_)
    np.testing.assert_array_equal(whole.predict(frame), apart.predict(mixed))
    np.testing.assert_array_equal(whole.predict(mixed.drop(columns="person")),
                                  apart.predict(frame))
    assert whole.score(mixed, y) == whole.score(frame)


def test_another_target_may_be_chosen():
    schema = {**SURVEY, "columns": [*SURVEY["columns"], {"name": "insured", "type": "boolean"}]}
    frame = survey().assign(insured="yes")
    model = sotto.LogisticRegression(1.0, schema=schema, target="insured").fit(frame)
    assert model.model_.schema["target"]["column"] == "insured"
    assert "smokes" in model.model_.encoded_features_


def test_rows_of_one_unit_are_bounded():
    X, y = rows(300)
    schema = {"features": 3, "labels": [0, 1], "row_norm": {"bound": 3.0, "rule": "clip"}}
    assert sotto.LogisticRegression(1.0, schema=schema).fit(X.tolist(), y).n_features_in_ == 3
    table = {"target": {"column": "y", "labels": [0, 1]}, "unit": {"column": "who", "rows": 1},
             "columns": [{"name": "who", "type": "id"},
                         {"name": "x", "type": "number", "lower": -3, "upper": 3},
                         {"name": "y", "type": "number", "lower": 0, "upper": 1}]}
    frame = pd.DataFrame({"who": ["one"] * 300, "x": X[:, 0], "y": y})
    model = sotto.LogisticRegression(1.0, schema=table, insecure_test_seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sotto.PrivacyWarning)
        many = model.fit(frame).coef_
        apart = model.fit(frame.drop(columns="who"), units=frame["who"]).coef_
        alone = model.fit(frame.assign(who=range(300))).coef_
    np.testing.assert_array_equal(many, apart)
    assert not np.array_equal(many, alone)
    for few in (0, 300):  # whether there are rows does not matter
        with pytest.raises(ValueError, match="units is None; give one of them"):
            model.fit(frame.drop(columns="who")[:few])
    with pytest.raises(ValueError, match="the unit 'who' is given twice"):
        model.fit(frame, units=frame["who"])
    with pytest.raises(ValueError, match="units is given, but the schema has no unit"):
        sotto.LogisticRegression(1.0, schema=schema).fit(X, y, units=frame["who"])
    with pytest.raises(ValueError, match="units is given, but the schema has no unit"):
        private().fit(X, y, units=frame["who"])


# ---- files ----


def test_a_saved_file_replaces_no_other_certified_one(tmp_path):
    X, y = rows()
    model, other = private().fit(X, y), private().fit(X, y)
    path, notes, key = tmp_path / "model.json", tmp_path / "notes.txt", tmp_path / "key"
    model.save(path)
    model.save(path)
    with pytest.raises(sotto.InvalidArgumentError, match="overwrite=True"):
        other.save(path)
    assert path.read_text(encoding="utf-8") == model.model_json_
    other.save(path, overwrite=True)
    assert path.read_text(encoding="utf-8") == other.model_json_
    notes.write_text("not a model\n")
    with pytest.raises(sotto.InvalidArgumentError, match="notes.txt is a file of text data"):
        model.save(notes)
    assert notes.read_text() == "not a model\n"
    subprocess.run([COMMAND, "key", "new", key], check=True, capture_output=True)
    with pytest.raises(sotto.InvalidArgumentError, match="secret key"):
        model.save(key, overwrite=True)
    with pytest.raises(sotto.SottoError, match="No such file or directory"):
        model.save(tmp_path / "none" / "model.json")
    assert sorted(os.listdir(tmp_path)) == ["key", "key.pub", "model.json", "notes.txt"]


def test_a_saved_model_is_the_same_model(tmp_path):
    X, y = rows()
    model = private(classes=[-1, 1]).fit(X, 2 * y - 1)
    path = tmp_path / "model.json"
    model.save(path)
    assert os.listdir(tmp_path) == ["model.json"]
    assert path.read_text(encoding="utf-8") == model.model_json_
    loaded = sotto.load(path)
    loaded.verify()
    assert loaded.classes_.tolist() == [-1, 1]
    for other in (loaded, pickle.loads(pickle.dumps(model)), pickle.loads(pickle.dumps(loaded))):
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        assert other.certificate_ == model.certificate_
    subprocess.run([COMMAND, "verify", path], check=True, capture_output=True)
    with pytest.raises(sotto.InvalidArgumentError):
        sotto.Model("{}")
    with pytest.raises(FileNotFoundError):
        sotto.load(tmp_path / "none.json")


def test_a_model_is_exported_to_c(tmp_path):
    X, y = rows(1000)
    model = private(data_norm=None, bounds=(-4, 4)).fit(X, y)
    (tmp_path / "m.h").write_text(model.model_.export_c("m"), encoding="utf-8")
    header = (tmp_path / "m.h").read_text(encoding="utf-8")
    assert "m_probability(" in header and "m_predict(" in header


# ---- the ledger ----


def test_the_ledger_is_charged_first_and_refuses(tmp_path):
    X, y = rows(300)
    ledger = tmp_path / "budget.ledger"
    subprocess.run([COMMAND, "ledger", "init", ledger, "--dataset", "study-7", "--epsilon", "2.5",
                    "--delta", "1e-5"], check=True, capture_output=True)
    estimator = private(dataset="study-7", ledger=ledger)
    model = estimator.fit(X, y)
    assert model.certificate_["ledger"] is not None
    assert model.certificate_["dataset"] == "study-7"
    refusal, last = None, None
    for _ in range(20):  # what a training costs is the accountant's affair, but not 1/20 of this
        last = estimator.coef_.copy()
        try:
            estimator.fit(X, y)
        except sotto.BudgetExceededError as problem:
            refusal = problem
            break
    assert refusal is not None and refusal.status is sotto.Status.BUDGET_EXCEEDED
    np.testing.assert_array_equal(estimator.coef_, last)  # a refused fit leaves the old one


# ---- refusals ----


@pytest.mark.parametrize("settings, text", [
    ({"data_norm": None}, "no public bounds"),
    ({"epsilon": None}, "epsilon"), ({"epsilon": -1.0}, "epsilon"), ({"delta": 2.0}, "delta"),
    ({"method": "magic"}, "method"), ({"calibration": "magic"}, "calibration"),
    ({"adjacency": "both"}, "adjacency"), ({"data_norm": 0.0}, "norm"),
    ({"norm_rule": "cut"}, "rule"), ({"public_n": 100}, "replace-one"),
    ({"public_n": 99, "adjacency": "replace-one"}, "99 rows"),
    ({"method": "none"}, "public"), ({"lambda_": -1.0}, "lambda"),
    ({"bounds": (1.0, -1.0), "data_norm": None}, "bounds"),
    ({"threads": -1}, "threads is -1"), ({"expected_rows": -5}, "expected_rows is -5"),
    ({"insecure_test_seed": 2**64}, "insecure_test_seed"), ({"data_is_public": "no"}, "True or False"),
    ({"schema": SURVEY}, "data_norm is 3.0 beside a schema"),
    ({"schema": SURVEY, "data_norm": None}, "classes is \\[0, 1\\] beside a schema"),
    ({"schema": {"features": 3}, "data_norm": None, "classes": None}, "schema"),
])
def test_wrong_settings_are_refused_by_name(settings, text):
    X, y = rows(100)
    with pytest.raises(ValueError, match=text):
        private(**settings).fit(X, y)


def test_without_noise_the_data_must_be_public():
    X, y = rows()
    model = private(epsilon=None, delta=None, method="none", data_is_public=True).fit(X, y)
    assert model.certificate_ is None
    assert model.score(X, y) > 0.98
    with pytest.raises(sotto.VerificationError):
        model.model_.verify()


def test_an_unfitted_estimator_says_so():
    from sklearn.exceptions import NotFittedError

    X, y = rows(10)
    for use in (lambda model: model.predict(X), lambda model: model.score(X, y),
                lambda model: model.model_json_, lambda model: model.save("x")):
        with pytest.raises(NotFittedError):
            use(private())


def test_names_of_columns_must_stay():
    X, y = rows(100)
    frame = pd.DataFrame(X, columns=["b", "a", "c"])
    model = private().fit(frame, y)
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        model.predict(frame[["a", "b", "c"]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- z\n"):
        model.predict(frame.rename(columns={"a": "z"}))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        model.predict(X)
    with pytest.warns(UserWarning, match="X has feature names"):
        private().fit(X, y).predict(frame)


def test_numbers_of_numpy_are_numbers():
    X, y = rows(100)
    settings = {"epsilon": np.float32(1), "data_norm": np.float32(3), "threads": np.int64(1),
                "expected_rows": np.uint16(100), "intercept_scaling": np.float32(0.5)}
    assert private(**settings).fit(X, y).certificate_["epsilon"] <= 1


def test_a_matrix_one_column_too_wide_is_refused():
    X, y = rows(100)
    model = private(data_norm=None, bounds=(-4, 4)).fit(X, y)
    with pytest.raises(ValueError, match="X has 4 features, but LogisticRegression is expecting 3"):
        model.predict(np.column_stack([X, y]))


def test_settings_are_read_and_changed_by_name():
    model = private()
    assert model.get_params()["epsilon"] == 1.0
    assert model.set_params(epsilon=2.0, threads=1) is model
    assert (model.epsilon, model.threads) == (2.0, 1)
    with pytest.raises(ValueError, match="Invalid parameter 'epsilom'"):
        model.set_params(epsilom=3.0)
    assert repr(sotto.LogisticRegression(0.5, data_norm=1.0)) == (
        "LogisticRegression(epsilon=0.5, data_norm=1.0)")


# ---- progress ----


def test_progress_is_reported_and_an_interrupt_ends_a_training():
    X, y = rows()
    seen = []
    gd = {"method": "gd", "expected_rows": 2000, "steps": 10}
    private(progress=lambda *now: seen.append(now), **gd).fit(X, y)
    assert {steps for _, steps, _, _ in seen} == {10}
    assert seen[-1][0] == 10
    with pytest.raises(KeyboardInterrupt):
        private(progress=lambda *_: signal.raise_signal(signal.SIGINT), **gd).fit(X, y)

    def fail(*_):
        raise ZeroDivisionError("the caller's own")

    with pytest.raises(ZeroDivisionError, match="the caller's own"):
        private(progress=fail, **gd).fit(X, y)
