"""Networks in Python: images as arrays, layers as objects, and what all estimators keep."""

import json
import os
import pathlib
import pickle
import subprocess
import warnings

import numpy as np
import pytest
import sotto
from sklearn.base import clone

COMMAND = pathlib.Path(os.environ["SOTTO_BUILD"]) / "sotto"
FAST = {"epsilon": 8.0, "delta": 1e-5, "batch": 120, "steps": 40, "learning_rate": 4.0,
        "weight_average": 0.9}
SMALL = {"kind": "network", "version": 1, "layers": [
    {"type": "conv2d", "channels": 3, "kernel": 3, "stride": 2}, {"type": "tanh"},
    {"type": "flatten"}, {"type": "dense", "units": "outputs"}]}


def rows(count=400):
    X = np.random.default_rng(1).normal(size=(count, 3))
    return X, np.where(X @ [1.0, -2.0, 0.5] > 0, "ill", "well")


def bars(count=240, side=8):
    """Images of a bar that lies in the lower (0) or the upper half (1)."""
    random = np.random.default_rng(2)
    images = random.integers(0, 60, size=(count, side, side)).astype(np.uint8)
    places = random.integers(0, side, size=count)
    images[np.arange(count), places] = 220
    return images, (places < side // 2).astype(np.int64)


def perceptron(**settings):
    return sotto.MLPClassifier(**{**FAST, "bounds": (-4, 4), "classes": ["well", "ill"],
                                  "expected_rows": 400, "hidden": (16,), **settings})


def convolutional(**settings):
    return sotto.CNNClassifier(**{**FAST, "bounds": (0, 255), "classes": [0, 1],
                                  "expected_rows": 240, "network": SMALL, **settings})


def test_a_perceptron_learns_and_its_certificate_holds(tmp_path):
    X, y = rows()
    model = perceptron().fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.predict_proba(X[:4]).shape == (4, 2)
    assert model.certificate_["epsilon"] <= 8
    assert "a network of" in model.certificate_["statement"]
    assert [layer.size for layer in model.model_.weights_] == [4 * 16, 17 * 2]
    model.model_.verify()
    model.save(tmp_path / "model.json")
    subprocess.run([COMMAND, "verify", tmp_path / "model.json"], check=True, capture_output=True)
    loaded = sotto.load(tmp_path / "model.json")
    for other in (loaded, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))


def test_hidden_layers_and_activations_are_those_asked_for():
    plan = perceptron(hidden=(7, 5), activation="relu").plan(n_features=3)
    layers = [(layer["layer"], layer["parameters"]) for layer in plan["network"]["layers"]]
    assert layers == [("flatten", 0), ("dense", 28), ("relu", 0), ("dense", 40), ("relu", 0),
                      ("dense", 12)]
    with pytest.raises(ValueError, match="activation is 'sine'"):
        perceptron(activation="sine").plan(n_features=3)


def test_images_are_the_same_in_every_layout():
    images, y = bars()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sotto.PrivacyWarning)
        plain = convolutional(insecure_test_seed=3).fit(images, y)
        assert plain.score(images, y) > 0.9
        for other, shape in ((images[..., None], None), (images.reshape(len(images), -1), None),
                             (images.reshape(len(images), -1), (8, 8)),
                             (images.astype(np.float64), None)):
            model = convolutional(insecure_test_seed=3, shape=shape).fit(other, y)
            np.testing.assert_array_equal(model.predict_proba(other), plain.predict_proba(images))
            assert model.n_features_in_ == 64


def test_channels_come_last_in_arrays_and_first_in_files():
    images, y = bars()
    colours = np.stack([images, 255 - images], axis=-1)
    model = convolutional().fit(colours, y)
    assert model.model_.schema["shape"] == [2, 8, 8]
    planes = colours.transpose(0, 3, 1, 2).reshape(len(images), -1)
    np.testing.assert_array_equal(model.predict_proba(colours), model.model_.predict_proba(planes))
    flat = clone(model).set_params(shape=(8, 8, 2)).fit(colours.reshape(len(images), -1), y)
    assert flat.model_.schema["shape"] == [2, 8, 8]
    with pytest.raises(ValueError, match="features"):
        model.predict(images)


def test_a_plan_reads_no_rows():
    plan = convolutional(shape=(8, 8)).plan()
    assert plan["network"]["layers"][0]["in"] == [8, 8, 1]
    assert plan["epsilon_of_plan"] <= 8
    assert convolutional().plan(n_features=64)["network"] == plan["network"]


def test_public_weights_are_a_beginning(tmp_path):
    images, y = bars()
    public = sotto.CNNClassifier(None, network=SMALL, bounds=(0, 255), classes=[0, 1],
                                 method="none", data_is_public=True, epochs=5).fit(images, y)
    public.save(tmp_path / "public.json")
    np.save(tmp_path / "rows.npy", images.reshape(len(images), -1))
    np.save(tmp_path / "labels.npy", y)
    model = convolutional(init=tmp_path / "public.json", freeze="1",
                          validation=tmp_path / "rows.npy",
                          validation_labels=tmp_path / "labels.npy").fit(images, y)
    first, last = model.model_.weights_
    np.testing.assert_array_equal(first, public.model_.weights_[0])
    assert (last != public.model_.weights_[1]).any()
    assert model.model_.curve_["steps"][-1] == 40
    assert len(model.model_.curve_["scores"]) == len(model.model_.curve_["steps"])


def test_no_row_can_stop_a_training():
    X, y = rows(60)
    X[3], X[4], X[5, 1], X[6] = np.nan, np.inf, -np.inf, 1e300
    odd = y.astype(object)
    odd[:3] = [{"foo": "bar"}, 5, None]
    model = perceptron().fit(X, odd)
    assert set(model.predict(X)) <= {"well", "ill"}
    for few in (0, 1):
        assert perceptron().fit(X[:few], odd[:few]).predict(X).shape == (60,)


def test_settings_of_other_models_are_refused():
    X, y = rows(20)
    for name, value in (("l1", 1.0), ("calibration", "kifer"), ("iterate", "last")):
        with pytest.raises(sotto.InvalidArgumentError, match="no meaning for the model network"):
            perceptron(**{name: value}).fit(X, y)
    with pytest.raises(sotto.InvalidArgumentError, match="expected_rows is missing.*expected_rows=N"):
        perceptron(expected_rows=None).fit(X, y)
    with pytest.raises(ValueError, match="no public bounds"):
        perceptron(bounds=None).fit(X, y)


@pytest.mark.parametrize("kind", [sotto.MLPClassifier, sotto.CNNClassifier])
def test_the_help_lists_every_setting_once(kind):
    text = kind.__doc__
    assert text.count("Parameters\n") == text.count("Attributes\n") == 1
    listed = [name.strip() for line in text.splitlines() if line[:5].strip() and " : " in line
              for name in line.split(" : ")[0].split(",")]
    listed = listed[:listed.index("model_")]
    assert sorted(listed) == sorted(kind._parameters())


def test_a_setting_means_what_it_means_to_the_command(tmp_path):
    images, y = bars()
    np.save(tmp_path / "rows.npy", images.reshape(len(images), -1))
    np.save(tmp_path / "labels.npy", y)
    schema = {"shape": [1, 8, 8], "labels": [0, 1],
              "numbers": {"lower": 0, "upper": 255, "scale": "unit"}}
    (tmp_path / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    (tmp_path / "net.json").write_text(json.dumps(SMALL), encoding="utf-8")
    given = {"epsilon": 3.0, "delta": 1e-5, "expected_rows": 240, "batch": 60, "epochs": 2.0,
             "clip": 0.5, "clipping": "automatic", "optimizer": "adam", "momentum": 0.5,
             "weight_average": 0.25, "augmentations": 2, "schedule": "cosine"}
    flags = [text for name, value in given.items()
             for text in (f"--{name.replace('_', '-')}", str(value))]
    subprocess.run([COMMAND, "train", "rows.npy", "--labels", "labels.npy", "--schema",
                    "schema.json", "--model", "net.json", *flags, "--insecure-test-seed", "5",
                    "--output", "model.json"], check=True, capture_output=True, cwd=tmp_path)
    expected = sotto.load(tmp_path / "model.json")
    with pytest.warns(sotto.PrivacyWarning):
        fitted = sotto.CNNClassifier(**given, network=tmp_path / "net.json", bounds=(0, 255),
                                     classes=[0, 1], insecure_test_seed=5).fit(images, y)
    for ours, theirs in zip(fitted.model_.weights_, expected.weights_, strict=True):
        np.testing.assert_array_equal(ours, theirs)
