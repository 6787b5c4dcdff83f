"""Progress of a computation for the caller, and the way that Ctrl-C ends it."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from ._library import ProgressFunction


_FIRST_SECONDS = 2.0  # a shorter computation shows nothing
_BETWEEN_SECONDS = 0.25

Report = Callable[[int, int, float, float], None]


class ProgressLine:
    """Shows progress and the time left, in a notebook or on a terminal; elsewhere nothing.

    It appears after two seconds. The number of steps of a tuning is secret: its line has the elapsed time only.
    """

    def __init__(self) -> None:
        self._write = _notebook_writer() or _terminal_writer()
        self._shown = -math.inf

    def __call__(self, step: int, steps: int, elapsed_seconds: float, epsilon_so_far: float) -> None:
        if self._write is None or elapsed_seconds < _FIRST_SECONDS:
            return
        if step < steps and elapsed_seconds - self._shown < _BETWEEN_SECONDS:
            return
        self._shown = elapsed_seconds
        self._write(line_of(step, steps, elapsed_seconds, epsilon_so_far))

    def close(self) -> None:
        """Ends the line, if there is one."""
        if self._write is not None and self._shown > 0:
            self._write(None)


def line_of(step: int, steps: int, elapsed_seconds: float, epsilon_so_far: float) -> str:
    """"step 3 of 40, epsilon so far 0.5, 12 s left"."""
    if steps == 0:
        return f"{math.floor(elapsed_seconds)} s"
    parts = [f"step {step} of {steps}"]
    if not math.isnan(epsilon_so_far):
        parts.append(f"epsilon so far {epsilon_so_far:.4g}")
    if step > 0:
        parts.append(f"{math.ceil(elapsed_seconds / step * (steps - step))} s left")
    return ", ".join(parts)


def _notebook_writer() -> Callable[[str | None], None] | None:
    """Updates one output of a Jupyter cell."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython
    if not hasattr(get_ipython(), "kernel"):
        return None
    from IPython.display import display
    shown: list[Any] = []

    def write(line: str | None) -> None:
        data = {"text/plain": line or ""}
        if shown:
            shown[0].update(data, raw=True)
        else:
            shown.append(display(data, raw=True, display_id=True))
    return write


def _terminal_writer() -> Callable[[str | None], None] | None:
    """Writes over one line of standard error; TERM=dumb has no such lines."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") in ("", "dumb"):
        return None

    def write(line: str | None) -> None:
        sys.stderr.write("\r\x1b[K" if line is None else f"\r{line}\x1b[K")
        sys.stderr.flush()
    return write


class Watch:
    """Lets an interrupt, or an exception of the caller's function, end a call of the library.

    Use it as a context around the call and around the storing of its result. Inside, SIGINT only leaves a note, which
    the library's next question finds; the caller's own handler runs at the end of the context. It would otherwise run, and raise
    KeyboardInterrupt, wherever Python happens to be: also in the callback before its first line, where ctypes drops
    the exception.
    """

    def __init__(self, report: Report | bool | None):
        """`report` is the caller's function; None or True: a line of our own; False: nothing."""
        self._line = ProgressLine() if report is None or report is True else None
        self.report = self._line if self._line is not None else (report or None)
        self.failure: BaseException | None = None
        self.interrupted = False
        self.function = ProgressFunction(self._step)
        self._handler: Any = None

    def __enter__(self) -> Watch:
        # Python delivers signals to its main thread only, and lets only that one set handlers.
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler):
                self._handler = handler
                signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        if self._line is not None:
            self._line.close()
        if self.failure is not None:
            raise self.failure from None
        if self.interrupted:
            try:
                self._handler(signal.SIGINT, None)
            except KeyboardInterrupt as interrupt:
                if problem is not None and not interrupt.args:
                    raise KeyboardInterrupt(str(problem)) from None
                raise

    def _note(self, *_: Any) -> None:
        self.interrupted = True

    def _step(self, progress: Any, _: Any) -> int:
        if self.interrupted:
            return 1
        now = progress.contents
        if self.report is None or now.asks_only:
            return 0
        try:
            self.report(now.step, now.steps, now.elapsed_seconds, now.epsilon_so_far)
        except BaseException as problem:  # noqa: BLE001
            # It is raised again when the library has returned.
            self.failure = problem
            return 1
        return 0
