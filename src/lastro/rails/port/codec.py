"""The bytes of the port's values, for inbox.body and outbox.body."""

from collections.abc import Callable
from typing import TypeVar

import msgspec

T = TypeVar("T")


def encode(value: msgspec.Struct) -> bytes:
    """Returns a value's bytes. Money is its integer of minor units, exact."""
    return msgspec.json.encode(value)


def decoder(kind: type[T]) -> Callable[[bytes], T]:
    """Returns the reader of a kind's bytes. msgspec.ValidationError for other bytes."""
    return msgspec.json.Decoder(kind).decode
