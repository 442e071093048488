"""Logs: one line per event, with the request's id, and with secrets scrubbed in this one place."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping, Sequence
from typing import Any, Literal

import structlog

from service.domain.names import clean

SCRUBBED = "[secret]"
# Callers' tokens and preview tokens have a shape of their own; configured secrets are added by value.
_SHAPES = re.compile(r"\btb_[A-Za-z0-9_-]{20,}|(?<![A-Za-z0-9])[a-z2-7]{32}(?![A-Za-z0-9])|(?i:bearer)\s+\S+")


class Scrubber:
    """Replaces secrets in text. `secrets` are values to hide wherever they appear."""

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        self._values = sorted({value for value in secrets if len(value) >= 6}, key=len, reverse=True)

    def scrub(self, text: str) -> str:
        return _SHAPES.sub(SCRUBBED, self.hide_values(text))

    def hide_values(self, text: str) -> str:
        """Only the given secrets; JSON stays JSON. Before text is cut: half a secret is found by nobody."""
        for value in self._values:
            text = text.replace(value, SCRUBBED)
        return text

    def __call__(self, _logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        """As a structlog processor: every value of the event, nested ones as their text."""
        for key, value in event.items():
            if isinstance(value, int | float | bool) or value is None:
                continue
            event[key] = self.scrub(value if isinstance(value, str) else repr(value))
        return event


def _one_line(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Library text may hold line breaks and terminal codes; a log line is one line. Tracebacks keep theirs escaped."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = _escape_lines(value) if key == "exception" else clean(value)
    return event


def _escape_lines(text: str) -> str:
    """A traceback as one line; what its exception says may be library text, too."""
    indents = ((" " * (len(line) - len(line.lstrip(" "))), line) for line in text.split("\n"))
    return "\\n".join(indent + clean(line) for indent, line in indents)


def configure_logging(
    log_format: Literal["text", "json"], secrets: Sequence[str] = (), level: int = logging.INFO
) -> None:
    """All loggers, ours and the libraries', write through the same scrubbed processors to standard error."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    last: Any = (
        structlog.processors.JSONRenderer()
        if log_format == "json"
        else structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"], repr_native_str=False)
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            Scrubber(secrets),
            _one_line,
            last,
        ],
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers = []
        logging.getLogger(name).propagate = True
    for name in ("httpx", "httpcore", "aiosqlite", "alembic", "uvicorn.access", "mcp"):
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    logger: structlog.stdlib.BoundLogger = structlog.get_logger(name)
    return logger
