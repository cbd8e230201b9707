"""Companies: tenants, the clients that call for them, and the keys the institution signs with."""

from lastro.companies.actions.clients import (
    SECRET_PREFIX,
    AddClient,
    BindNetworks,
    LimitRequests,
    Permit,
    Revoke,
    RevokeTokens,
    RotateSecret,
    TrustSubject,
)
from lastro.companies.actions.companies import (
    ApprovePlans,
    ChooseAccount,
    FoundCompany,
    RefuseDuplicates,
    ReviewAbove,
)
from lastro.companies.callers import OWN_EVERY_SECONDS, Callers, OutsideKeys, OwnKeys
from lastro.companies.fees import FeePlan
from lastro.companies.login import Login
from lastro.companies.model import (
    INSTITUTION_NUMBER,
    PERMISSIONS,
    Client,
    Company,
    company_of_client,
)
from lastro.companies.outside import OutsideIssuer
from lastro.companies.signing import LOCATION, TOKEN, Keychain, SigningKeys, certificate_end
from lastro.companies.store import client, clients, company, company_of_number, numbers, signing_keys_told
from lastro.companies.tokens import LIFETIME_SECONDS, SCOPE, Claims, TokenRefused, Verifier, issue, jwks, public_keys

__all__ = [
    "INSTITUTION_NUMBER", "LIFETIME_SECONDS", "LOCATION", "OWN_EVERY_SECONDS", "PERMISSIONS", "SCOPE", "SECRET_PREFIX",
    "TOKEN", "AddClient", "ApprovePlans", "BindNetworks", "Callers", "ChooseAccount", "Claims", "Client", "Company",
    "FeePlan", "FoundCompany", "Keychain", "LimitRequests", "Login", "OutsideIssuer", "OutsideKeys", "OwnKeys", "Permit",
    "RefuseDuplicates", "ReviewAbove", "Revoke", "RevokeTokens", "RotateSecret", "SigningKeys", "TokenRefused",
    "TrustSubject", "Verifier", "certificate_end", "client", "clients", "company", "company_of_client", "company_of_number",
    "issue", "jwks", "numbers", "public_keys", "signing_keys_told",
]  # fmt: skip
