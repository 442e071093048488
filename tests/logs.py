"""Everything that is logged, at debug level, ours and the libraries'."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

import structlog

from service.logs import configure_logging

LOUD = ("httpx", "httpcore", "aiosqlite", "mcp")


@contextmanager
def logged(log_format: Literal["text", "json"], secrets: Sequence[str] = ()) -> Iterator[io.StringIO]:
    """Logging set up as the service does it, into a stream instead of standard error."""
    root = logging.getLogger()
    handlers, level, before = root.handlers, root.level, structlog.get_config()
    levels = {name: logging.getLogger(name).level for name in LOUD}
    configure_logging(log_format, secrets, level=logging.DEBUG)
    stream = io.StringIO()
    for handler in root.handlers:
        assert isinstance(handler, logging.StreamHandler)
        handler.setStream(stream)
    for name in LOUD:
        logging.getLogger(name).setLevel(logging.DEBUG)
    try:
        yield stream
    finally:
        root.handlers, root.level = handlers, level
        for name, value in levels.items():
            logging.getLogger(name).setLevel(value)
        structlog.configure(**before)
