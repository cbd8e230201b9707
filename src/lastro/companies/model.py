"""What a client may be allowed, and how its id names its company."""

from __future__ import annotations

from lastro.standards.pix_ids import base62, from_base62, location_token

INSTITUTION_NUMBER = 0  # the institution's own company: it owns what belongs to nobody else
_OBJECTS = ("subscriptions", "orders", "payouts", "accounts", "keys", "webhooks", "med")
PERMISSIONS = tuple(f"{o}:{act}" for o in _OBJECTS for act in ("read", "write"))
_PREFIX = "lc_"


def new_client_id(company_number: int, entropy: bytes) -> str:
    """`lc_`, five base-62 digits of the company's number, 17 random ones: a login finds its company without an index."""
    return _PREFIX + base62(company_number, 5) + location_token(entropy)[:17]


def company_of_client(client_id: str) -> int | None:
    """The company number in a client id, or None where it has not that form."""
    if not client_id.startswith(_PREFIX) or len(client_id) != len(_PREFIX) + 22 or not client_id[3:].isalnum():
        return None
    try:
        return from_base62(client_id[3:8])
    except ValueError:
        return None
