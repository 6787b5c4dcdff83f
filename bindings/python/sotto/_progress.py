"""Progress of a training, told to the caller between steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._library import ProgressFunction


class Watch:
    """Lets an interrupt, or an exception of the caller's function, end a training between steps."""

    def __init__(self, report: Callable[[int, int, float, float], None] | None):
        self.report = report
        self.failure: BaseException | None = None
        self.function = ProgressFunction(self._step)

    def _step(self, progress: Any, _: Any) -> int:
        try:
            if self.report is not None:
                now = progress.contents
                self.report(now.step, now.steps, now.elapsed_seconds, now.epsilon_so_far)
        except BaseException as problem:  # noqa: BLE001
            # An interrupt too: it is raised again when the library has returned.
            self.failure = problem
            return 1
        return 0
