"""PrivacyWarning: each misuse is warned of, by objects and settings, and nothing else is."""

import pickle
import re
import warnings

import joblib
import numpy as np
import pytest
import sotto
from scipy.stats import uniform
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import BaggingClassifier, StackingClassifier
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.feature_selection import RFECV, SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RandomizedSearchCV,
    ShuffleSplit,
    cross_val_predict,
    cross_val_score,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, OneHotEncoder, PolynomialFeatures, StandardScaler

RANDOM = np.random.default_rng(1)
X = RANDOM.normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)


def model(**others):
    return sotto.LogisticRegression(**{"epsilon": 1.0, "delta": 1e-6, "bounds": (-4, 4), "classes": [0, 1], **others})


def warned(call):
    """The texts of the privacy warnings of a call; each is at a line of this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    found = [one for one in caught if issubclass(one.category, sotto.PrivacyWarning)]
    assert all(one.filename == __file__ for one in found)
    return [str(one.message) for one in found]


def columns(step):
    return ColumnTransformer([("first", step, [0]), ("others", "passthrough", [1, 2])])


LEARNING = {"scaler": StandardScaler(), "imputer": SimpleImputer(), "selector": SelectKBest(k=2),
            "indicator": SimpleImputer(strategy="constant", fill_value=0, add_indicator=True),
            "columns": columns(SimpleImputer()), "encoder": columns(OneHotEncoder(handle_unknown="ignore", sparse_output=False)),
            "raising": columns(OneHotEncoder(categories=[np.unique(X[:, 0])], sparse_output=False)),
            "nested": make_pipeline(Normalizer(), StandardScaler())}
FIXED = {"normalizer": Normalizer(), "function": FunctionTransformer(np.tanh), "polynomial": PolynomialFeatures(2), "none": "passthrough",
         "constant": SimpleImputer(strategy="constant", fill_value=0),
         "levels": columns(OneHotEncoder(categories=[[0.0, 1.0]], handle_unknown="ignore", sparse_output=False))}


@pytest.mark.parametrize("name", LEARNING)
def test_a_step_that_learns_from_private_rows_is_named(name):
    (text,) = warned(lambda: make_pipeline(LEARNING[name], model()).fit(X, Y))
    assert "certificate does not cover it" in text and "bounds=" in text


@pytest.mark.parametrize("name", FIXED)
def test_a_step_that_learns_nothing_is_not(name):
    assert warned(lambda: make_pipeline(FIXED[name], model()).fit(X, Y)) == []


def test_a_transformer_of_the_target_is_named():
    regressor = sotto.LinearRegression(1.0, 1e-6, bounds=(-4, 4), target_bounds=(-9, 9))
    (text,) = warned(lambda: TransformedTargetRegressor(regressor, transformer=StandardScaler()).fit(X, X[:, 0]))
    assert "targets" in text
    assert warned(lambda: TransformedTargetRegressor(regressor, func=np.sinh, inverse_func=np.arcsinh).fit(X, X[:, 0])) == []


def test_cross_validation_states_the_composed_epsilon():
    for call, count in ((lambda: cross_val_score(model(), X, Y, cv=3), 3), (lambda: cross_val_predict(model(), X, Y, cv=KFold(4)), 4),
                        (lambda: cross_val_score(model(), X, Y), 5),
                        (lambda: cross_val_score(make_pipeline(Normalizer(), model()), X, Y, cv=2), 2)):
        (text,) = warned(call)
        assert f"Its {count} trainings together have epsilon {count} at delta {count}e-06" in text and "tune()" in text


def test_each_search_states_the_composed_epsilon_once():
    search = GridSearchCV(model(), {"epsilon": [0.5, 2.0], "lambda_": [3, 10]}, cv=2)
    for _ in range(2):  # a second search is another one
        (text,) = warned(lambda: search.fit(X, Y))
        assert "Its 9 trainings together have epsilon 12 at delta 9e-06" in text
    (text,) = warned(lambda: RandomizedSearchCV(model(), {"lambda_": [3, 10]}, n_iter=2, cv=2, refit=False).fit(X, Y))
    assert "Its 4 trainings together have epsilon 4 at delta 4e-06" in text
    (text,) = warned(lambda: cross_val_score(model(), X, Y, cv=ShuffleSplit(2)))
    assert "Its 2 trainings" in text
    (text,) = warned(lambda: cross_val_score(model(), X, Y, cv=[(list(range(0, 60, 2)), list(range(1, 60, 2)))]))
    assert "trainings together" not in text  # how many follows from the rows


def counted(texts):
    return [text for text in texts if "trains" in text]


def test_a_call_whose_number_of_trainings_is_not_known_states_no_sum():
    """learning_curve() and the others train more often than their cv states."""
    calls = (lambda: learning_curve(model(), X, Y, cv=2, train_sizes=[0.5, 1.0]),
             lambda: validation_curve(model(), X, Y, param_name="lambda_", param_range=[20, 40], cv=2),
             lambda: permutation_test_score(model(), X, Y, n_permutations=2, cv=2),
             lambda: OneVsRestClassifier(model(), n_jobs=None).fit(X, Y),
             lambda: BaggingClassifier(model(), n_estimators=2).fit(X, Y),
             lambda: StackingClassifier([("one", model())], cv=2).fit(X, Y))
    for call in calls:
        texts = counted(warned(call))
        assert texts and not any("trainings together" in text for text in texts)


def test_threads_state_no_sum_either():
    """In a thread only the innermost calls are on the stack."""
    with joblib.parallel_backend("threading", n_jobs=2), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        OneVsRestClassifier(model()).fit(X, X.argmax(axis=1))
    texts = counted([str(one.message) for one in caught if issubclass(one.category, sotto.PrivacyWarning)])
    assert not any("trainings together" in text for text in texts)


def test_a_random_search_over_epsilon_states_the_largest_sum():
    search = RandomizedSearchCV(model(), {"epsilon": [0.5, 2.0]}, n_iter=2, cv=2, refit=False)
    (text,) = warned(lambda: search.fit(X, Y))
    assert "Its 4 trainings together have epsilon 8 at delta 4e-06" in text
    drawn = RandomizedSearchCV(model(), {"epsilon": uniform(0.5, 2.0)}, n_iter=2, cv=2, refit=False)
    (text,) = warned(lambda: drawn.fit(X, Y))
    assert "trainings together" not in text


def test_every_elimination_is_warned_of():
    for _ in range(2):
        (text,) = counted(warned(lambda: RFECV(model(), cv=2).fit(X, Y)))
        assert text.startswith("RFECV trains")


def test_hashing_learns_nothing():
    words = [f"w{place % 7} a" for place in range(60)]
    hashed = model(bounds=None, data_norm=1.0)
    assert warned(lambda: make_pipeline(HashingVectorizer(n_features=8), hashed).fit(words, Y)) == []
    other = model(bounds=None, data_norm=1.0)
    assert warned(lambda: make_pipeline(FeatureHasher(8, input_type="string"), other).fit([[word] for word in words], Y)) == []


def test_the_transform_of_a_scaler_of_public_rows_is_the_remedy():
    scaler = StandardScaler().fit(RANDOM.normal(size=(60, 3)))
    assert warned(lambda: make_pipeline(FunctionTransformer(scaler.transform), model()).fit(X, Y)) == []


def test_warnings_do_not_depend_on_cells():
    """Neighbours: the same warnings, whatever one row has."""
    def texts(rows, labels):
        return warned(lambda: make_pipeline(SimpleImputer(), model()).fit(rows, labels)) + warned(
            lambda: cross_val_score(model(), rows, labels, cv=KFold(3)))
    expected = texts(X, Y)
    for cell in (np.nan, np.inf, -1e300, 4.0):
        other = X.copy()
        other[7] = cell
        assert texts(np.nan_to_num(other, posinf=9e9), Y) == expected
    assert texts(X, np.where(np.arange(60) == 7, 1 - Y, Y)) == expected


def test_a_sum_of_losses_is_rounded_up():
    (text,) = warned(lambda: cross_val_score(model(epsilon=0.1111111), X, Y, cv=3))
    assert float(re.search(r"have epsilon (\S+)", text)[1]) >= 3 * 0.1111111


def test_a_warning_can_be_an_error_before_any_training(tmp_path):
    tmp_path.chmod(0o700)
    ledger = sotto.Ledger.init(tmp_path / "b.ledger", dataset="d", epsilon=9, delta=1e-5)
    charged = model(ledger=ledger, dataset="d")
    with warnings.catch_warnings():
        warnings.simplefilter("error", sotto.PrivacyWarning)
        with pytest.raises(sotto.PrivacyWarning, match="cross_val_score"):
            cross_val_score(charged, X, Y)
        with pytest.raises(sotto.PrivacyWarning, match="GridSearchCV"):
            GridSearchCV(charged, {"lambda_": [3, 10]}).fit(X, Y)
        with pytest.raises(sotto.PrivacyWarning, match="StandardScaler"):
            make_pipeline(StandardScaler(), charged).fit(X, Y)
    assert ledger.show().entries == 1


def test_scores_of_the_rows_of_the_training():
    fitted = model().fit(X, Y)
    assert len(warned(lambda: fitted.score(X, Y))) == 1
    assert warned(lambda: fitted.score(X.copy(), Y)) == []  # identity decides, never a cell
    pipeline = make_pipeline(FunctionTransformer(np.tanh), model()).fit(X, Y)
    assert len(warned(lambda: pipeline.score(X, Y))) == 1
    assert warned(lambda: pipeline.score(X.copy(), Y)) == []


def test_a_second_fit_without_a_ledger(tmp_path):
    fitted = model()
    assert warned(lambda: fitted.fit(X, Y)) == []
    (text,) = warned(lambda: fitted.fit(X, Y))
    assert "fitted 2 times" in text and "epsilon 2 at delta 2e-06" in text and "ledger=" in text
    tmp_path.chmod(0o700)
    ledger = sotto.Ledger.init(tmp_path / "b.ledger", dataset="d", epsilon=9, delta=1e-5)
    charged = model(ledger=ledger, dataset="d")
    assert warned(lambda: charged.fit(X, Y).fit(X, Y)) == []


def test_public_rows_are_nobodys_secret():
    public = model(epsilon=None, delta=None, method="none", data_is_public=True)
    assert warned(lambda: make_pipeline(StandardScaler(), public).fit(X, Y)) == []
    assert warned(lambda: cross_val_score(public, X, Y)) == []
    assert warned(lambda: public.fit(X, Y).fit(X, Y).score(X, Y)) == []


def test_the_memory_of_the_rows_is_not_pickled():
    fitted = model().fit(X, Y)
    copy = pickle.loads(pickle.dumps(fitted))
    assert warned(lambda: copy.score(X, Y)) == []
    assert (copy.predict(X) == fitted.predict(X)).all()
