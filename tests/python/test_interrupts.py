"""Ctrl-C ends a computation of the library with KeyboardInterrupt, whenever it comes."""

import json
import os
import random
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import sotto

# A training as in a program: it says when it begins, and afterwards how it ended and how long that took.
PROGRAM = """
import json, os, signal, sys, threading, time
import numpy as np
import sotto
from sotto import audit

rng = np.random.default_rng(7)
X = rng.normal(size=(20000, 20))
y = (X[:, 0] > 0).astype(int)
settings = dict(epsilon=1.0, delta=1e-6, classes=[0, 1], expected_rows=20000, threads=2)
linear = dict(settings, data_norm=5.0)
RUNS = {
    "sgd": lambda: sotto.LogisticRegression(method="sgd", steps=40000, **linear).fit(X, y),
    "gd": lambda: sotto.LogisticRegression(method="gd", steps=400000, **linear).fit(X, y),
    "network": lambda: sotto.MLPClassifier(steps=20000, bounds=(-5.0, 5.0), **settings).fit(X, y),
    "tune": lambda: sotto.LogisticRegression(method="gd", **linear).tune(
        X, y, grid={"steps": [8000]}, runs_mean=20, score_epsilon=0.1),
    "audit": lambda: audit.learner("logistic", "gd", epsilon=1.0, delta=1e-5, runs=10000000),
}
sent = []
def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
timer = threading.Timer(float(sys.argv[2]), interrupt)
try:
    timer.start()
    RUNS[sys.argv[1]]()
    end = "finished"
except BaseException as problem:
    end = type(problem).__name__ + ": " + str(problem)
seconds = time.monotonic() - sent[0] if sent else None
timer.cancel()
signal.signal(signal.SIGINT, signal.SIG_IGN)
print(json.dumps({"end": end, "seconds": seconds}))
"""
SECONDS_MAX = 10.0  # generous: a test machine may be busy


def interrupted(run, delay):
    done = subprocess.run([sys.executable, "-c", PROGRAM, run, str(delay)], capture_output=True, text=True,
                          check=False, timeout=120)
    assert done.stdout, done.stderr
    assert "ignored" not in done.stderr, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("run", ["sgd", "gd", "network", "tune", "audit"])
def test_an_interrupt_at_any_time_is_a_keyboard_interrupt(run):
    for _ in range(4):
        outcome = interrupted(run, random.uniform(0.0, 1.5))
        assert outcome["end"].startswith("KeyboardInterrupt"), outcome
        assert outcome["seconds"] < SECONDS_MAX, outcome


def rows():
    X = np.random.default_rng(3).normal(size=(200, 2))
    return X, (X[:, 0] > 0).astype(int)


def model(**settings):
    return sotto.LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=2.0, classes=[0, 1], method="gd",
                                    expected_rows=200, steps=10, **settings)


def test_a_finished_model_is_kept_when_the_interrupt_comes_too_late():
    X, y = rows()

    def late(step, steps, *_):
        if step == steps:
            signal.raise_signal(signal.SIGINT)

    estimator = model(progress=late)
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(X, y)
    assert estimator.predict(X).shape == (200,)


def test_the_handler_of_the_program_runs_and_is_put_back():
    X, y = rows()
    heard = []

    def own(number, _):
        heard.append(number)

    before = signal.signal(signal.SIGINT, own)
    try:
        with pytest.raises(sotto.SottoError, match="stopped on request"):
            model(progress=lambda *_: signal.raise_signal(signal.SIGINT)).fit(X, y)
        assert heard == [signal.SIGINT]
        assert signal.getsignal(signal.SIGINT) is own
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        model(progress=lambda *_: os.kill(os.getpid(), signal.SIGINT)).fit(X, y)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_training_in_another_thread_leaves_signals_alone():
    X, y = rows()
    estimator = model()
    thread = threading.Thread(target=estimator.fit, args=(X, y))
    thread.start()
    thread.join()
    assert estimator.predict(X).shape == (200,)
