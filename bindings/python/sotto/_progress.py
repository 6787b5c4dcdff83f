"""Progress of a computation, told to the caller, and the way that Ctrl-C ends it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

from ._library import ProgressFunction


class Watch:
    """Lets an interrupt, or an exception of the caller's function, end a call of the library.

    Use it as a context around the call and around the storing of its result. Inside, SIGINT only leaves a note, which
    the library's next question finds; the caller's own handler runs at the end of the context. It would otherwise run, and raise
    KeyboardInterrupt, wherever Python happens to be: also in the callback before its first line, where ctypes drops
    the exception.
    """

    def __init__(self, report: Callable[[int, int, float, float], None] | None):
        self.report = report
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
