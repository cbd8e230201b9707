"""Companies: tenants, the clients that call for them, and the keys the institution signs with."""

from lastro.companies.actions import AddClient, FoundCompany
from lastro.companies.login import Login
from lastro.companies.model import INSTITUTION_NUMBER, PERMISSIONS
from lastro.companies.signing import SigningKeys, load_or_make
from lastro.companies.tokens import LIFETIME_SECONDS, SCOPE, Claims, TokenRefused, Verifier, issue, jwks, public_keys

__all__ = [
    "INSTITUTION_NUMBER", "LIFETIME_SECONDS", "PERMISSIONS", "SCOPE", "AddClient", "Claims", "FoundCompany", "Login",
    "SigningKeys", "TokenRefused", "Verifier", "issue", "jwks", "load_or_make", "public_keys",
]  # fmt: skip
