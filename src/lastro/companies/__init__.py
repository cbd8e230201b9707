"""Companies: tenants, the clients that call for them, and the keys the institution signs with."""

from lastro.companies.actions.clients import (
    SECRET_PREFIX,
    AddClient,
    BindCertificates,
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
    BearFees,
    ChooseAccount,
    FoundCompany,
    RefuseDuplicates,
    ReviewAbove,
    RouteOrders,
    TakeUnauthenticatedCards,
)
from lastro.companies.actions.fees import Price, RemoveFees, SetFees
from lastro.companies.api import routes
from lastro.companies.callers import OWN_EVERY_SECONDS, Callers, OutsideKeys, OwnKeys
from lastro.companies.certificates import CertificateRefused, certificate_end, key_kind
from lastro.companies.fees import (
    DIRECTIONS,
    IN,
    PAYERS,
    DatedPlan,
    FeePlan,
    Fees,
    currency_of,
    terms,
)
from lastro.companies.login import Login
from lastro.companies.model import (
    INSTITUTION_NUMBER,
    PERMISSIONS,
    Client,
    Company,
    Route,
    company_of_client,
)
from lastro.companies.outside import OutsideIssuer
from lastro.companies.rendering import dated as shown_plan
from lastro.companies.signing import LOCATION, TOKEN, Keychain, SigningKeys
from lastro.companies.store import (
    FEES,
    business_now,
    client,
    clients,
    company,
    company_of_number,
    fee_plans,
    fees_from,
    numbers,
    signing_keys_told,
)
from lastro.companies.tokens import LIFETIME_SECONDS, SCOPE, Claims, TokenRefused, Verifier, issue, jwks, public_keys

__all__ = [
    "DIRECTIONS", "FEES", "IN", "INSTITUTION_NUMBER", "LIFETIME_SECONDS", "LOCATION", "OWN_EVERY_SECONDS", "PAYERS",
    "PERMISSIONS", "SCOPE", "SECRET_PREFIX", "TOKEN", "AddClient", "ApprovePlans", "BearFees", "BindCertificates",
    "BindNetworks", "Callers", "CertificateRefused", "ChooseAccount", "Claims", "Client", "Company", "DatedPlan",
    "FeePlan", "Fees", "FoundCompany", "Keychain", "LimitRequests", "Login", "OutsideIssuer", "OutsideKeys", "OwnKeys",
    "Permit", "Price", "RefuseDuplicates", "RemoveFees", "ReviewAbove", "Revoke", "RevokeTokens", "RotateSecret",
    "Route", "RouteOrders", "SetFees", "SigningKeys", "TakeUnauthenticatedCards", "TokenRefused", "TrustSubject",
    "Verifier", "business_now", "certificate_end", "client", "clients", "company", "company_of_client",
    "company_of_number", "currency_of", "fee_plans", "fees_from", "issue", "jwks", "key_kind", "numbers", "public_keys",
    "routes", "shown_plan", "signing_keys_told", "terms",
]  # fmt: skip
