"""Small real JPEGs: a baseline encoder of flat 8×8 blocks, tinted by the asset's id. No image library needed."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import lru_cache

from service.demo.errors import bad_request
from service.demo.lookalike import Answer, Call
from service.demo.validation import checked, uuid
from service.demo.wire import digest

BLOCKS_WIDE, BLOCKS_HIGH = 20, 15
DC_COUNTS = (0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0)
"""The standard luminance table: how many codes of each length, for categories 0 to 11."""


def get_thumbnail(call: Call) -> Answer:
    checked(call.params, {"id": uuid}, call.immich)
    asset = call.library.assets.get(call.params["id"])
    if asset is None or asset.owner_id not in {call.user_id, *call.library.partners}:
        raise bad_request("Not found or no asset.view access")
    return Answer(thumbnail(asset.id), content_type="image/jpeg")


@lru_cache(maxsize=512)
def thumbnail(asset_id: str) -> bytes:
    """160×120: a soft gradient whose colours depend on the id."""
    seed = digest(asset_id, 6)
    bits = "".join(_scan(seed))
    bits += "1" * (-len(bits) % 8)
    data = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\x00")
    return _headers() + data + b"\xff\xd9"


def _headers() -> bytes:
    components = b"".join(bytes((n, 0x11, 0)) for n in (1, 2, 3))
    frame = struct.pack(">BHHB", 8, BLOCKS_HIGH * 8, BLOCKS_WIDE * 8, 3) + components
    scan = b"\x03" + b"".join(bytes((n, 0)) for n in (1, 2, 3)) + bytes((0, 63, 0))
    end_of_block = bytes((1, *[0] * 15)) + b"\x00"
    parts = (
        (0xE0, b"JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"),
        (0xDB, b"\x00" + bytes([8] * 64)),
        (0xC0, frame),
        (0xC4, b"\x00" + bytes(DC_COUNTS) + bytes(range(12))),
        (0xC4, b"\x10" + end_of_block),
        (0xDA, scan),
    )
    return b"\xff\xd8" + b"".join(struct.pack(">BBH", 0xFF, mark, len(p) + 2) + p for mark, p in parts)


def _scan(seed: bytes) -> Iterator[str]:
    """Per block and component the difference of its average to the block before, then `end of block`."""
    codes, before = _dc_codes(), [0, 0, 0]
    for row in range(BLOCKS_HIGH):
        for column in range(BLOCKS_WIDE):
            for n, level in enumerate(_levels(seed, row, column)):
                yield _difference(level - before[n], codes) + "0"
                before[n] = level


def _levels(seed: bytes, row: int, column: int) -> tuple[int, int, int]:
    """Brightness and two colour differences, each around 0; in steps of one grey level (8 × 8 / 64)."""
    light = 60 - seed[0] % 40 - row * (2 + seed[1] % 3) + column * (seed[2] % 3)
    return light, seed[3] % 80 - 40 + row, seed[4] % 80 - 40 - column


def _dc_codes() -> list[str]:
    codes, code, length = [], 0, 0
    for length, count in enumerate(DC_COUNTS, start=1):
        for _ in range(count):
            codes.append(f"{code:0{length}b}")
            code += 1
        code <<= 1
    return codes


def _difference(value: int, codes: list[str]) -> str:
    category = abs(value).bit_length()
    if not category:
        return codes[0]
    return codes[category] + f"{value if value > 0 else value + (1 << category) - 1:0{category}b}"
