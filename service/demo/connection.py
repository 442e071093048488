"""The bare ASGI connection: reading a body, sending an answer, and dropping the line in the middle."""

from __future__ import annotations

import contextlib

from starlette.types import Receive, Send


class Dropped(Exception):
    """A fault wants the connection closed without an answer."""


class Gone(Exception):
    """The client hung up."""


async def read_body(receive: Receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


async def send_answer(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})


async def wait_gone(receive: Receive) -> None:
    """Return never: until the client hangs up or the task is cancelled."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone


async def drop(receive: Receive, send: Send) -> None:
    """Close the connection without a word.

    ASGI has no such message. Under uvicorn the transport behind `send` is aborted; without a network (httpx's
    ASGITransport) the same error is raised that a client would see.
    """
    cycle = getattr(send, "__self__", None)
    transport = getattr(cycle, "transport", None)
    if transport is None:
        import httpx

        raise httpx.RemoteProtocolError("Server disconnected without sending a response.")
    transport.abort()
    with contextlib.suppress(Gone):
        await wait_gone(receive)
