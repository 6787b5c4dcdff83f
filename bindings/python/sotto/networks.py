"""Private neural networks: multilayer perceptrons, and convolutions for images."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from . import schema as schemas
from ._images import flat_images, planes_first
from ._library import TrainConfig
from ._tables import Table, read
from ._targets import Probabilities

# What networks have beside the settings of all estimators.
_OF_NETWORKS = """
    classes : sequence
        The label set; needed unless there is a schema, or the rows are public.
    decision_threshold : float
        With two classes predict() and score() choose the second from this probability on; default 0.5. It
        changes no release: set_params() may change it after fit().
    epochs : float, optional
        Passes over the expected rows, in the place of steps; default the library's rule.
    clip : float, optional
        Bound on the gradient of a record; default the library's rule.
    clipping : {"flat", "per-layer", "automatic"}
        How a gradient comes to its bound.
    optimizer : {"sgd", "adam"}
        What is done with the noisy gradient of a step.
    momentum : float, optional
        How much of the last step is kept; of "adam" its first decay.
    weight_average : float, optional
        Decay of the moving average of the weights that is the model; 0: the last weights.
    augmentations : int, optional
        Shifted and mirrored copies of an image, averaged inside the record.
    init : path, optional
        A model file of the same network, of public data or released before, to begin with.
    freeze : str, optional
        Layers that stay as init has them, for example "1-3" or "all-but-last".
    validation, validation_labels : path, optional
        Files of PUBLIC rows, for a learning curve: model_.curve_.
"""


@dataclass(repr=False, eq=False, kw_only=True)
class Network(Probabilities):
    """Settings of all networks. A private one needs delta, and expected_rows or public_n."""

    epochs: float | None = None
    clip: float | None = None
    clipping: str = "flat"
    optimizer: str = "sgd"
    momentum: float | None = None
    weight_average: float | None = None
    augmentations: int | None = None
    init: str | os.PathLike[str] | None = None
    freeze: str | None = None
    validation: str | os.PathLike[str] | None = None
    validation_labels: str | os.PathLike[str] | None = None

    _multi_class: ClassVar[bool] = True
    _of_model: ClassVar[tuple[str, ...]] = ("certificate_", "classes_")

    def __init_subclass__(cls) -> None:
        if cls.__doc__ is not None and "Parameters\n" in cls.__doc__:
            cls.__doc__ = cls.__doc__.rstrip() + _OF_NETWORKS
        super().__init_subclass__()

    def _kind(self) -> str:
        return "network"

    def _layers(self) -> str | os.PathLike[str] | Mapping[str, Any]:
        """A preset's name, the path of a file, JSON text, or the file's object."""
        raise NotImplementedError

    def _config(self) -> TrainConfig:
        config, layers = super()._config(), self._layers()
        text = json.dumps(layers) if isinstance(layers, Mapping) else layers
        config.network = os.fsencode(text)
        return config

    def _set(self, config: TrainConfig, name: str, kind: Any) -> None:
        if name != "network":  # _config() knows all its forms
            super()._set(config, name, kind)

    def _make_schema(self, table: Table, goal: schemas.Goal) -> dict[str, Any]:
        made = super()._make_schema(table, goal)
        made["intercept"] = 0.0  # layers have biases
        return made


@dataclass(repr=False, eq=False, kw_only=True)
class MLPClassifier(Network):
    """A multilayer perceptron, trained with differential privacy.

    Noisy gradient descent on records sampled for each step. Nothing about the rows is read but by the
    private learner: bounds, classes and the expected number of rows are given. fit_intercept and
    intercept_scaling have no effect: every layer has biases. The weights are model_.weights_.

    Parameters
    ----------
    hidden : sequence of int
        Units of each hidden layer.
    activation : {"tanh", "relu"}
        Between layers; under noise tanh learns better.
    """

    hidden: Sequence[int] = (128,)
    activation: str = "tanh"

    def _layers(self) -> dict[str, Any]:
        if self.activation not in ("tanh", "relu"):
            raise ValueError(f"activation is {self.activation!r}; give 'tanh' or 'relu'")
        layers: list[dict[str, Any]] = [{"type": "flatten"}]
        for units in self.hidden:
            layers += [{"type": "dense", "units": int(units)}, {"type": self.activation}]
        layers.append({"type": "dense", "units": "outputs"})
        return {"kind": "network", "version": 1, "layers": layers}


@dataclass(repr=False, eq=False, kw_only=True)
class CNNClassifier(Network):
    """A convolutional network for images, trained with differential privacy.

    X is an array of images, (rows, height, width) or (rows, height, width, channels), or has a flat
    image in each row. Only the private learner reads the rows: the bounds of a
    pixel, the classes and the expected number of rows are given. Pixels are scaled from bounds to
    [0, 1]. fit_intercept and intercept_scaling have no effect: every layer has biases.

    Parameters
    ----------
    network : str, path or dict
        "cnn", "scattering-linear", "scattering-cnn", "mlp", or a file of layers: its path, its
        text or its object (docs/reference/networks.md).
    shape : (height, width) or (height, width, channels), optional
        Shape of a flat row, as in numpy.reshape(). Without it flat rows are square, and planes come
        one after another.
    """

    network: str | os.PathLike[str] | Mapping[str, Any] = "cnn"
    shape: Sequence[int] | None = None

    def _layers(self) -> Any:
        return self.network

    def _schema_of(self, n_features: int | None) -> schemas.Schema:
        """Needs shape, or the features of a flat row."""
        if n_features is None and self.shape is not None:
            n_features = int(np.prod(self.shape))
        return super()._schema_of(n_features)

    def _rows(self, X: Any) -> Table:
        """One image per row, its planes one after another, as in files."""
        flat, shape = flat_images(X, self._public_shape())
        table = read(X) if flat is None else flat
        table.image = self.shape if shape is None else shape
        return table if table.image is None else planes_first(table, table.image)

    def _public_shape(self) -> tuple[int, ...] | None:
        """Height, width and channels of an image, if a setting or the schema states them."""
        if self.shape is not None:
            return tuple(int(size) for size in self.shape)
        planes = None if self.schema is None else self._given_schema().describe().get("shape")
        return None if planes is None else (planes[1], planes[2], planes[0])

    def _with_columns(self, table: Table) -> Table:
        shape = self._public_shape()
        return super()._with_columns(table) if shape is None else table.with_width(
            int(np.prod(shape)))

    def _make_schema(self, table: Table, goal: schemas.Goal) -> dict[str, Any]:
        if self.bounds is None:
            return super()._make_schema(table, goal)
        lower, upper = (float(side) for side in self.bounds)
        made: dict[str, Any] = {"features": table.width, **goal.matrix(), "intercept": 0.0}
        image = self.shape if table.image is None else table.image
        if image is not None:
            height, width, channels = [int(size) for size in (*image, 1)[:3]]
            made = {**schemas.of_images((channels, height, width), goal), "intercept": 0.0}
        made["numbers"] = {"lower": lower, "upper": upper, "scale": "unit"}
        if self.data_norm is not None:
            made["row_norm"] = {"bound": float(self.data_norm), "rule": self.norm_rule}
        if self.dataset is not None:
            made["dataset"] = self.dataset
        return made
