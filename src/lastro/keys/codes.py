"""One-time codes: derived when they are sent and when they are compared, and kept nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.secrets import SecretUnreadable, same

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.secrets import KeyRing

DIGITS = 6
_PURPOSE = "pix_key_validations.code"


class Codes:
    """Makes the codes of validations, and knows them again. key_ring: whose key of that id each was begun with."""

    def __init__(self, key_ring: KeyRing) -> None:
        self._key_ring = key_ring

    @property
    def sealed_by(self) -> str:
        """The id of the key ring's current key, for a new validation."""
        return self._key_ring.current

    def code(self, validation_id: UUID, number: int, sealed_by: str) -> str | None:
        """The six digits of a validation's nth code; None: their key has left the key file."""
        try:
            made = self._key_ring.derive(sealed_by, _PURPOSE, validation_id.bytes + number.to_bytes(2, "big"))
        except SecretUnreadable:
            return None
        # Of 2^64 numbers to a million codes: none is likelier than another by more than one in 10^13.
        return f"{int.from_bytes(made[:8], 'big') % 10**DIGITS:0{DIGITS}d}"

    def is_right(self, token: str, validation_id: UUID, number: int, sealed_by: str) -> bool:
        """Tells whether the token is that code, in constant time."""
        code = self.code(validation_id, number, sealed_by)
        return code is not None and same(code.encode(), token.encode("utf-8", "surrogatepass"))
