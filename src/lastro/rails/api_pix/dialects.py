"""Banks that speak API Pix, and what they differ in: a table of values, no code for any one bank.

Sources: the banks' own documentation; the adapters of ACBr and pypix-api; issues of bacen/pix-api (their numbers are given).
A connection may override address, window and limits; the rest is the bank's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

# How a token is asked for (RFC 6749 §4.4): client and secret by HTTP Basic beside a form, or beside JSON; both in the form;
# the client alone in the form, which the certificate proves.
OAuthStyle = Literal["basic-form", "basic-json", "secret-in-form", "no-secret"]
# What an instant of the bank means. utc: as RFC 3339 says. local-marked-z: its Z is wrong, the time is Brasilia's (#573).
# local: it has no zone and is Brasilia's.
Clock = Literal["utc", "local-marked-z", "local"]
# What the value of a header or of a query's field is: the connection's client_id, its app_key, its bank_account, or an id of
# the request that is made anew for each.
Given = Literal["client_id", "app_key", "bank_account", "request_id"]

LARGEST_PAGE = 1_000  # API Pix 2.9.0, paginacao.itensPorPagina
_SMALLEST_PAGE = 100  # what every bank gives, and where a larger page is cut silently (#249)
_SHORTEST_WINDOW = 5  # days: what every bank answers for (#436)


@dataclass(frozen=True, slots=True)
class Dialect:
    """One bank's way of speaking API Pix.

    base_url, token_url: its addresses in production; None: the connection has to say. asks_scopes: scopes are named when a
    token is asked for. query, headers: further fields of each request, and what their values are. versions: (first part
    of the path, "/" behind it where one of its objects is named) → the version that stands before it. version: before all
    others. clock: the meaning
    of its instants. takes_milliseconds: of instants in a question. window_days: the longest period that one question may
    span. page_size: items of a page that it gives without cutting. has_secret: client secrets are given. ispb: of the bank;
    None: it is one of many, as each cooperative of Sicoob and of Sicredi has its own.
    """

    name: str
    oauth_style: OAuthStyle = "basic-form"
    base_url: str | None = None
    token_url: str | None = None
    token_query: tuple[tuple[str, str], ...] = ()
    asks_scopes: bool = True
    query: tuple[tuple[str, Given], ...] = ()
    headers: tuple[tuple[str, Given], ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    version: str = ""
    clock: Clock = "utc"
    takes_milliseconds: bool = True
    window_days: int = _SHORTEST_WINDOW
    page_size: int = _SMALLEST_PAGE
    ispb: str | None = None

    @property
    def has_secret(self) -> bool:
        """True if a client secret is part of a token's request."""
        return self.oauth_style != "no-secret"

    @property
    def needs(self) -> frozenset[Given]:
        """Returns what a connection has to say beyond the ordinary: app_key, bank_account."""
        return frozenset(given for _, given in (*self.query, *self.headers) if given in ("app_key", "bank_account"))

    def path(self, path: str) -> str:
        """Returns a path with the version of its resource. path: behind the base address, as `/cob/{txid}`."""
        resource, separator, _ = path.partition("?")[0].removeprefix("/").partition("/")
        version = dict(self.versions).get(resource + separator, dict(self.versions).get(resource, self.version))
        return f"/{version}{path}" if version else path


_AUTOMATIC = ("rec", "solicrec", "cobr", "locrec", "webhookrec", "webhookcobr")
_ROWS = (
    Dialect("standard", page_size=LARGEST_PAGE),
    Dialect(
        "efi", "basic-json", "https://pix.api.efipay.com.br/v2", "https://pix.api.efipay.com.br/oauth/token",
        asks_scopes=False, page_size=LARGEST_PAGE, ispb="09089356",
    ),
    Dialect(
        "bb", "basic-form", "https://api-pix.bb.com.br/pix/v2", "https://oauth.bb.com.br/oauth/token",
        query=(("gw-dev-app-key", "app_key"),), ispb="00000000",
    ),
    Dialect(
        "inter", "secret-in-form", "https://cdpj.partners.bancointer.com.br/pix/v2",
        "https://cdpj.partners.bancointer.com.br/oauth/v2/token", headers=(("x-conta-corrente", "bank_account"),),
        ispb="00416968",
    ),
    Dialect(
        "itau", "secret-in-form", "https://secure.api.itau/pix_recebimentos/v2", "https://sts.itau.com.br/api/oauth/token",
        asks_scopes=False, headers=(("x-correlationID", "request_id"),), clock="local-marked-z",
        ispb="60701190",
    ),
    Dialect(
        "santander", "secret-in-form", "https://trust-pix.santander.com.br/api/v1",
        "https://trust-pix.santander.com.br/oauth/token", token_query=(("grant_type", "client_credentials"),),
        asks_scopes=False, takes_milliseconds=False, ispb="90400888",
    ),
    Dialect(
        "sicoob", "no-secret", "https://api.sicoob.com.br/pix/api/v2",
        "https://auth.sicoob.com.br/auth/realms/cooperado/protocol/openid-connect/token",
        headers=(("client_id", "client_id"),),
    ),
    # Its Pix Automático is at v1, one charge at v3, their list and all the rest at v2 (pypix-api, its tests of Sicredi).
    Dialect(
        "sicredi", "basic-form", "https://api-pix.sicredi.com.br/api", "https://api-pix.sicredi.com.br/oauth/token",
        versions=(("cob/", "v3"), *((name, "v1") for name in _AUTOMATIC)),
        version="v2",
    ),
    Dialect(
        "bradesco", "basic-form", "https://qrpix.bradesco.com.br/v2", "https://qrpix.bradesco.com.br/oauth/token",
        asks_scopes=False, ispb="60746948",
    ),
)  # fmt: skip
DIALECTS: Mapping[str, Dialect] = {row.name: row for row in _ROWS}
