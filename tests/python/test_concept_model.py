"""Model files of concepts in Python: the rule, its numbers, and what it says of rows."""

import json
import pickle

import numpy as np
import pandas
import pytest
import sotto

SCHEMA = {"target": "ill", "columns": [
    {"name": "age", "type": "integer", "lower": 18, "upper": 90},
    {"name": "town", "type": "category", "values": ["Lund", "Ystad"]},
    {"name": "ill", "type": "boolean"}]}
CLASS = {"class": "stumps", "both": True, "features": [
    {"column": "age", "cells": 73}, {"column": "town", "value": "Ystad"}]}


def hexadecimal(number):
    """As the file spells it: the shortest form."""
    text = float(number).hex()
    head, power = text.split("p")
    if "." in head:
        head = head.rstrip("0").rstrip(".")
    return f"{head}p{power}"


def model_of(numbers):
    return sotto.Model(json.dumps({
        "kind": "model", "version": 4, "model": "concept", "method": "none", "settings": {},
        "classes": ["false", "true"], "schema": SCHEMA, "concept": CLASS,
        "coefficients": [hexadecimal(number) for number in numbers]}))


def test_a_rule_is_told_and_says_yes_or_no():
    model = model_of([0, 19, 0])
    assert model.kind == "concept"
    assert model.rule_ == "age >= 37"
    assert model.concept_["class"] == "stumps" and model.concept_["numbers"] == [0, 19, 0]
    assert model.encoded_features_ == ["age", "town=Ystad"]
    assert model.coef_ is None and model.intercept_ is None and model.weights_ is None
    table = pandas.DataFrame({"age": [36, 37, np.nan], "town": ["Lund", "Ystad", "x"],
                              "ill": [False, True, True]})
    np.testing.assert_array_equal(model.predict(table)[:2], [False, True])
    np.testing.assert_array_equal(model.decision_function(table)[:2], [-1.0, 1.0])
    with pytest.raises(AttributeError, match="concept"):
        model.predict_proba(table)
    scores = model.evaluate(table)
    assert scores["rows"] == 3 and 0 <= scores["accuracy"] <= 1 and np.isnan(scores["log_loss"])
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(table), model.predict(table))
    assert "sotto_model_predict" in model.export_c()


def test_numbers_that_are_no_rule_are_refused():
    for numbers in ([2, 0, 0], [0, 74, 0], [0, 0, 2], [0, 0.5, 0], [0, 0]):
        with pytest.raises(sotto.SottoError):
            model_of(numbers)


def test_other_models_have_no_rule():
    y = np.array([0, 1] * 20)
    model = sotto.LogisticRegression(epsilon=1.0, bounds=(-1, 1), classes=[0, 1]).fit(
        np.linspace(-1, 1, 40)[:, None], y).model_
    assert model.concept_ is None and model.rule_ is None and model.coef_ is not None
