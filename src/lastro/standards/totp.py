"""One-time codes by time (RFC 6238), with what authenticator apps all take: HMAC-SHA-1, six digits, steps of 30 seconds."""

import base64
import hmac
from urllib.parse import quote, urlencode

SECRET_BYTES = 20  # RFC 4226 §4, R6: as long as the hash
STEP_SECONDS = 30
_DIGITS = 6
_STEPS_AROUND = 1  # RFC 6238 §5.2: a clock may be off by one step either way


def step_of(seconds: float) -> int:
    """Returns the TOTP step of a Unix time (RFC 6238 §4.2). T0 is 0."""
    return int(seconds // STEP_SECONDS)


def code_at(secret: bytes, step: int, digits: int = _DIGITS) -> str:
    """Returns the code of a step (RFC 4226 §5.3: dynamic truncation)."""
    digest = hmac.digest(secret, step.to_bytes(8, "big"), "sha1")
    offset = digest[-1] & 0x0F
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFF_FFFF
    return str(number % 10**digits).zfill(digits)


def step_shown(secret: bytes, code: str, seconds: float, after: int) -> int | None:
    """Returns the step whose code this is, around the Unix time `seconds`; None: of none, or of one not later than `after`.

    Every step is compared, so that the time does not tell which one it was.
    """
    now, found = step_of(seconds), None
    given = code.encode("utf-8", "surrogatepass")
    for step in range(now - _STEPS_AROUND, now + _STEPS_AROUND + 1):
        if hmac.compare_digest(code_at(secret, step).encode(), given) and step > after:
            found = step
    return found


def shown(secret: bytes) -> str:
    """Returns the secret as people type it: base 32 without padding (RFC 4648 §6)."""
    return base64.b32encode(secret).rstrip(b"=").decode()


def secret_of(text: str) -> bytes:
    """Returns the secret that somebody typed, blanks and case aside. ValueError: it is none."""
    plain = "".join(text.split()).upper()
    return base64.b32decode(plain + "=" * (-len(plain) % 8))


def uri(secret: bytes, account: str, issuer: str) -> str:
    """Returns the otpauth URI that an app reads from a QR: Google Authenticator's format, which the others took over."""
    return f"otpauth://totp/{quote(issuer)}:{quote(account)}?{urlencode({'secret': shown(secret), 'issuer': issuer})}"
