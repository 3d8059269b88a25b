"""How a fit shows its progress: redrawn on a terminal or in a notebook, else a line each time it has taken twice as long."""
from __future__ import annotations

import sys
import time
from typing import Any

_FIRST_LINE = 10.0  # seconds
_REDRAW = 0.2       # at most so often


def progress_line(epoch: int, seconds: float, scores: dict[str, Any], epochs: int = 0) -> str:
    """One evaluation, as "epoch 3/20  objective -8.34  1.2 s"."""
    line = f"epoch {epoch}/{epochs}" if epochs else f"epoch {epoch}"
    for name in ("objective", "per_item", "valid"):
        value = scores.get(name)
        if isinstance(value, (int, float)):
            line += f"  {name} {value:.6g}"
    return f"{line}  {seconds:.1f} s"


def _notebook_display() -> Any:
    """IPython's `display` in a notebook; None elsewhere, and IPython is not imported for this."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    try:
        from IPython.display import display
    except ImportError:
        return None
    return display


class Progress:
    """Shows lines that replace each other.  `verbose` 0: nothing is shown."""

    def __init__(self, verbose: int) -> None:
        self._verbose = int(verbose)
        self._display = _notebook_display() if self._verbose else None
        self._handle: Any = None
        self._drawn = 0.0
        self._width = 0
        self._line = ""
        self._next_line = time.monotonic() + _FIRST_LINE
        self._began = time.monotonic()

    def show(self, line: str) -> None:
        """Shows a line in place of the one before."""
        self._line = line
        now = time.monotonic()
        if self._verbose and now >= self._drawn + _REDRAW:
            self._drawn = now
            self._draw(line, now)

    def end(self) -> None:
        """Shows the last line, which stays."""
        if not self._verbose or not self._line:
            return
        self._next_line = 0.0
        self._draw(self._line, time.monotonic())
        if self._display is None and _is_terminal():
            print(file=sys.stderr)

    def say(self, text: str) -> None:
        """Shows a message, which stays."""
        if not self._verbose:
            return
        if self._display is None and _is_terminal() and self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr)
            self._width = 0
        print(text, file=sys.stderr, flush=True)

    def _draw(self, line: str, now: float) -> None:
        if self._display is not None:
            shown = {"text/plain": line}
            if self._handle is None:
                self._handle = self._display(shown, raw=True, display_id=True)
            else:
                self._handle.update(shown, raw=True)
        elif _is_terminal():
            print("\r" + line.ljust(self._width), end="", file=sys.stderr, flush=True)
            self._width = len(line)
        elif now >= self._next_line:
            self._next_line = now + (now - self._began)
            print(line, file=sys.stderr, flush=True)


def _is_terminal() -> bool:
    return hasattr(sys.stderr, "isatty") and sys.stderr.isatty()
