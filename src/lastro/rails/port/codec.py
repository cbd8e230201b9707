"""The bytes of the port's values, for inbox.body and outbox.body."""

from typing import TypeVar

import msgspec

T = TypeVar("T")


def encode(value: msgspec.Struct) -> bytes:
    """Returns a value's bytes. Money is its integer of minor units, exact."""
    return msgspec.json.encode(value)


def decode(body: bytes, kind: type[T]) -> T:
    """Returns the value of a kind. msgspec.ValidationError for other bytes."""
    return msgspec.json.decode(body, type=kind)
