"""OpenAPI descriptions of the paths without a bearer token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro import companies
from lastro.api_kit.routes import Doc, Query
from lastro.core.errors import Kind, Refusal
from lastro.orders import CheckoutState
from lastro.web.bank_webhooks import MOST_PAYMENTS, BankNotice
from lastro.web.openapi.event_schemas import DIALECT, EventSchemas
from lastro.web.public import OAuthError, OAuthToken, Token, TokenForm

if TYPE_CHECKING:
    from collections.abc import Mapping

    import msgspec

SCHEMA = "application/schema+json"
JSON, FORM_ENCODED, NOTHING = "application/json", "application/x-www-form-urlencoded", "text/plain"
_SCOPE = f"{companies.SCOPE}/.default"


@dataclass(frozen=True, slots=True)
class Gives:
    """One answer that is no refusal in the interface's words. schema: a type, or JSON Schema; None: the body is empty.

    also: other media types that it comes as.
    """

    status: int
    description: str
    media: str
    schema: type[msgspec.Struct] | Mapping[str, Any] | None = None
    example: Any = None
    headers: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Open:
    """An operation outside the route table. errors: statuses with an Error body, beside those of every path.

    takes: the media type of its body. parameters: of the path, by name. queries: those that are looked at. needs_token: any
    good one of ours.
    """

    operation: str
    tag: str
    doc: Doc
    gives: tuple[Gives, ...]
    errors: tuple[int, ...] = ()
    takes: str = JSON
    parameters: Mapping[str, str] | None = None
    needs_token: bool = False
    queries: tuple[Query, ...] = ()


_JWT = "eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwczovL3BheS5leGFtcGxlLmNvbSJ9.c2lnbmF0dXJl"
_KEY_WORDS = ("kty", "kid", "crv", "x", "y", "n", "e", "use", "alg", "x5t", "x5t#S256")
_KEYS = {
    "type": "object", "required": ["keys"],
    "properties": {"keys": {"type": "array", "items": {
        "type": "object", "required": ["kty", "kid"],
        "properties": {
            **{name: {"type": "string"} for name in _KEY_WORDS},
            **{name: {"type": "array", "items": {"type": "string"}} for name in ("key_ops", "x5c")},
        },
    }}},
}  # fmt: skip
_STATUS = {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}
_PAGE = {"type": "string"}
_TOKEN = {"token": "The order's `orderToken`."}
_PAGE_HEADERS = ("cache-control", "vary", "x-robots-tag")
_HELD = ("etag", "cache-control")
_LANG = (Query("lang", "pt or en, in place of what the header says.", {"type": "string"}),)


def _held(description: str, media: str, schema: Any, example: Any = None, also: tuple[str, ...] = ()) -> tuple[Gives, ...]:
    """Returns the answers of what callers may keep: it, or that they have it."""
    return (
        Gives(200, description, media, schema, example, _HELD, also),
        Gives(304, "You have it.", NOTHING, headers=_HELD),
    )


_OURS = Open(
    "create_token", "tokens",
    Doc(
        "Get a token",
        "A bearer token for a client and its secret. It is good for an hour; revoking the client ends it at once.",
        TokenForm, Token,
        (
            Refusal(Kind.INVALID, "clientId", "INVALID", "It is no text of at most 256 characters.",
                    "Send it as it was shown."),
            Refusal(Kind.INVALID, "clientSecret", "INVALID", "It is no text of at most 256 characters.",
                    "Send it as it was shown."),
            Refusal(Kind.INVALID, "scopes", "INVALID", "There is one scope alone.", f"Send `{_SCOPE}`, or leave it out."),
            Refusal(Kind.UNAUTHORIZED, "", "", "There is no such client, or the secret is not its own.",
                    "Look at the id and the secret; the secret was shown once, a new one can be made."),
        ),
        {"clientId": "lc_9fJ2mQ7xKp4sTz1VbN8cRw", "clientSecret": "lsk_…", "scopes": [_SCOPE]},
    ),
    (Gives(200, "The token.", JSON, Token,
           {"tokenType": "Bearer", "expiresIn": companies.LIFETIME_SECONDS, "token": _JWT}, ("cache-control",)),),
    (401, 413, 415),
)  # fmt: skip
_OAUTH = Open(
    "create_oauth_token", "tokens",
    Doc(
        "Get a token by OAuth 2.0",
        "The same token for libraries that speak RFC 6749: client credentials, the client in Basic or in the body. Its"
        " errors are those of the RFC.",
    ),
    (
        Gives(200, "The token.", JSON, OAuthToken,
              {"access_token": _JWT, "token_type": "Bearer", "expires_in": companies.LIFETIME_SECONDS,
               "scope": companies.SCOPE}, ("cache-control",)),
        Gives(401, "No such client, or not its secret.", JSON, OAuthError, {"error": "invalid_client"},
              ("www-authenticate",)),
        Gives(429, "Too many requests from this address.", JSON, OAuthError, {"error": "temporarily_unavailable"},
              ("retry-after",)),
        Gives(400, "A parameter is missing or is not known.", JSON, OAuthError, {"error": "invalid_request"}),
    ),
    (413, 415), FORM_ENCODED,
)  # fmt: skip
_PAID = "E12345678202611231300abcDEF01234"


def _bank_webhook(operation: str, summary: str) -> Open:
    """Returns the webhook of a bank, which is served at two paths."""
    return Open(
        operation, "banks",
        Doc(
            summary,
            "For a bank that speaks API Pix, when a charge of a connection is paid. The payments that it names are asked for"
            " at the bank, and nothing else of the body is read. Where the connection names certificates of the bank, one of"
            " them has to be shown.",
            BankNotice,
            refusals=(
                Refusal(Kind.INVALID, "content-type", "INVALID", "The body is in another charset than UTF-8.",
                        "Send it in UTF-8."),
                Refusal(Kind.TOO_LARGE, "pix", "TOO_LONG", f"It names more than {MOST_PAYMENTS:,} payments.",
                        "Tell of them in several requests."),
                Refusal(Kind.FORBIDDEN, "", "", "No certificate of the bank was shown.", "Show the bank's own."),
                Refusal(Kind.NOT_FOUND, "", "", "There is no such connection, or that is not its secret.",
                        "Register the address anew: `lastro bank webhook` does it."),
            ),
            request={"pix": [{"endToEndId": _PAID}]},
        ),
        (Gives(200, "The payments are asked for.", JSON, {"type": "object", "maxProperties": 0}, {}),),
        (400, 403, 404, 413, 415),
        parameters={"connection": "The connection's name.", "secret": "The connection's secret."},
    )  # fmt: skip


# Paths that are served and not documented here: they are for the server's operator.
UNTOLD = ("/metrics",)
OPEN_PATHS: Mapping[str, Mapping[str, Open]] = {
    "/auth/v1/token": {"POST": _OURS},
    "/oauth2/token": {"POST": _OAUTH},
    "/.well-known/jwks.json": {"GET": Open(
        "read_token_keys", "keys",
        Doc("Read the keys of tokens", "The public keys that our tokens verify by (RFC 7517)."),
        (Gives(200, "The keys.", JSON, _KEYS),),
    )},
    "/.well-known/pix-jwks.json": {"GET": Open(
        "read_location_keys", "keys",
        Doc("Read the keys of charges", "The public keys that the charges of our QR codes verify by: their `jku`."),
        (Gives(200, "The keys.", JSON, _KEYS),),
    )},
    "/qr/v2/{token}": {"GET": Open(
        "read_charge", "qr",
        Doc("Read the charge of a QR code",
            "What a payer's bank fetches: the charge, signed (JWS, as its key says), while it can be paid."),
        (
            Gives(200, "The signed charge.", "application/jose", {"type": "string"}, headers=("cache-control",)),
            Gives(404, "There is no such charge.", NOTHING),
            Gives(410, "It can never be paid again, or its Pix key has left the account.", NOTHING),
        ),
        parameters={"token": "As the QR code carries it."},
    )},
    "/qr/v2/rec/{token}": {"GET": Open(
        "read_recurrence", "qr",
        Doc("Read the recurrence of a QR code",
            "What a payer's bank fetches of a subscription: who charges, how much, how often and until when, signed (JWS),"
            " until it ends."),
        (
            Gives(200, "The signed recurrence.", "application/jose", {"type": "string"}, headers=("cache-control",)),
            Gives(404, "There is no such recurrence.", NOTHING),
            Gives(410, "It has ended.", NOTHING),
        ),
        parameters={"token": "As the QR code carries it."},
    )},
    "/qr/image/{name}": {"GET": Open(
        "read_qr_image", "qr",
        Doc("Read the picture of a QR code", "A PNG, as long as the order is known and its Pix key leads to its account."),
        (Gives(200, "The picture.", "image/png", {"type": "string", "contentMediaType": "image/png"}),
         Gives(410, "Its Pix key has left: nobody should pay it.", NOTHING)),
        (404,), parameters={"name": "As `qrcodeImageUrl` names it."},
    )},
    "/slip/{name}": {"GET": Open(
        "read_slip", "slips",
        Doc("Read a slip",
            "The slip (boleto) of an order to print or to pay from, as `pdfUrl` names it: the payer's receipt and the"
            " clearing form as FEBRABAN lays it out. Once the order has ended it says PAGO, CANCELADO or VENCIDO across."),
        (Gives(200, "The slip on A4.", "application/pdf", {"type": "string", "contentMediaType": "application/pdf"},
               headers=("cache-control", "content-disposition", "x-robots-tag")),),
        (404,), parameters={"name": "As `pdfUrl` names it."},
    )},
    "/voucher/{name}": {"GET": Open(
        "read_voucher", "vouchers",
        Doc("Read a voucher",
            "The voucher of an OXXO, OXXOPAY or PAYNET order to print or to show at the till, in Spanish, as `voucherUrl`"
            " names it. Once the order has ended it says PAGADO, CANCELADO or VENCIDO across."),
        (Gives(200, "The voucher on A4.", "application/pdf", {"type": "string", "contentMediaType": "application/pdf"},
               headers=("cache-control", "content-disposition", "x-robots-tag")),),
        (404,), parameters={"name": "As `voucherUrl` names it."},
    )},
    "/rails/{connection}/{secret}/pix": {"POST": _bank_webhook("ring_bank_webhook", "Tell of payments at a bank")},
    "/rails/{connection}/{secret}/rec": {"POST": _bank_webhook("ring_bank_recurrences", "Tell of subscriptions at a bank")},
    "/rails/{connection}/{secret}/cobr": {"POST": _bank_webhook("ring_bank_charges", "Tell of subscriptions' charges")},
    "/rails/{connection}/{secret}": {"POST": _bank_webhook(
        "ring_bank_webhook_bare", "Tell of payments at a bank that appends nothing to addresses"
    )},
    "/terms/{name}": {"GET": Open(
        "read_terms_file", "accounts",
        Doc("Read the terms of an account as a PDF", "What a holder accepts, as `url` of the terms names it."),
        (Gives(200, "The terms on A4.", "application/pdf", {"type": "string", "contentMediaType": "application/pdf"},
               headers=("cache-control", "content-disposition")),),
        (404,), parameters={"name": "As `fileName` of the terms."},
    )},
    "/checkout/{token}": {"GET": Open(
        "read_checkout", "checkout",
        Doc("Read the page of an order",
            "What your customer sees at `checkoutUrl`: what is asked, how to pay it, and what became of it, in Portuguese,"
            " Spanish or English (`accept-language`). Once the order has ended the page leads back to your `returnUrl`, with"
            " `orderToken` in its query."),
        (
            Gives(200, "The page.", "text/html", _PAGE, headers=_PAGE_HEADERS),
            Gives(404, "A page which says that there is no such order, the same whatever was asked for.", "text/html", _PAGE,
                  headers=_PAGE_HEADERS),
        ),
        parameters=_TOKEN,
        queries=(Query("lang", "pt, es or en, in place of what the header says.", {"type": "string"}),),
    )},
    "/3ds/{token}": {"GET": Open(
        "read_challenge", "checkout",
        Doc("Send the payer of a card on",
            "Where `challengeUrl` of a CREDIT_CARD order leads: on to the page of the payer's bank where that wants to be"
            " sure who pays, else to the page of the order. While nobody knows that, it comes again each second."),
        (
            Gives(200, "The page of the order, which comes again.", "text/html", _PAGE,
                  headers=(*_PAGE_HEADERS, "refresh")),
            Gives(303, "On to the bank's page, or to the order's.", NOTHING, headers=(*_PAGE_HEADERS, "location")),
            Gives(404, "No order by card is there.", "text/html", _PAGE, headers=_PAGE_HEADERS),
        ),
        parameters=_TOKEN,
    )},
    "/checkout/{token}/state": {"GET": Open(
        "read_checkout_state", "checkout",
        Doc("Read how an order stands for its page", "What the page asks while it waits. Ask with `if-none-match`."),
        _held("How it stands.", JSON, CheckoutState,
        {"status": "INITIAL", "late": False, "keyLeft": False, "over": False}),
        (404,), parameters=_TOKEN,
    )},
    "/checkout.css": {"GET": Open(
        "read_checkout_style", "checkout", Doc("Read the style of these pages", "What they look like."),
        _held("The style.", "text/css", _PAGE),
    )},
    "/checkout.js": {"GET": Open(
        "read_checkout_script", "checkout",
        Doc("Read the script of these pages", "What a script adds to them; they work without."),
        _held("The script.", "text/javascript", _PAGE),
    )},
    "/health": {"GET": Open(
        "read_health", "service",
        Doc("Ask whether requests can be served", "For load balancers: 200 when they can, 503 when not."),
        (Gives(200, "They can.", JSON, _STATUS, {"status": "ready"}),),
    )},
    "/live": {"GET": Open(
        "read_life", "service",
        Doc("Ask whether the process lives", "For whoever starts processes anew: 200 as long as it answers at all."),
        (Gives(200, "It does.", JSON, _STATUS, {"status": "alive"}),),
    )},
    "/openapi.json": {"GET": Open(
        "read_openapi", "service", Doc("Read this document", "OpenAPI 3.1, as it is while this server runs."),
        _held("The document.", JSON, {"type": "object"}),
    )},
    "/postman.json": {"GET": Open(
        "read_postman", "service",
        Doc("Read this document as a Postman collection",
            "Schema v2.1.0: to be imported, or played by newman. Set its variables `clientId` and `clientSecret`; it fetches"
            " its token by itself."),
        _held("The collection.", JSON, {"type": "object"}),
    )},
    "/schemas": {"GET": Open(
        "list_schemas", "webhooks",
        Doc("List the schemas of events", "Every kind of event that this version sends, and where its JSON Schema is."),
        _held("The list.", JSON, EventSchemas,
        {"data": [{"event": "ORDER-PAYIN.PAID", "summary": "Order paid",
                          "url": "https://pay.example.com/schemas/ORDER-PAYIN.PAID.json"}]}),
    )},
    "/schemas/{name}": {"GET": Open(
        "read_schema", "webhooks",
        Doc("Read the schema of an event",
            "The body of a kind of event as JSON Schema (2020-12), whole by itself: its parts stand in its `$defs`."
            " Other fields may come to stand beside those it names, so that it leaves room for them."),
        _held("The schema.", SCHEMA, {
            "type": "object", "required": ["$schema", "$id"],
            "properties": {"$schema": {"const": DIALECT}, "$id": {"type": "string"}},
        }),
        (404,),
        parameters={"name": "The event's type and `.json`, as in `ORDER-PAYIN.PAID.json`."},
    )},
    "/docs": {"GET": Open(
        "read_docs", "service",
        Doc("Read the contents of the reference", "The same for people, in English or Portuguese (`accept-language`)."),
        _held("The page.", "text/html", _PAGE),
        queries=_LANG,
    )},
    "/docs/api/{page}": {"GET": Open(
        "read_docs_page", "service",
        Doc("Read a page of the reference", "The operations of one tag, or `events`, `errors`, `types`."),
        _held("The page.", "text/html", _PAGE),
        (404,),
        parameters={"page": "Such as `orders`."},
        queries=_LANG,
    )},
    "/docs/search": {"GET": Open(
        "search_docs", "service",
        Doc("Search the reference and the guide",
            "A page with the parts that have all words of `q`, best first, whatever their accents and capitals."),
        _held("The page.", "text/html", _PAGE),
        queries=(Query("q", "The words; the first eight are looked for.", {"type": "string"}), *_LANG),
    )},
    "/docs/style.css": {"GET": Open(
        "read_docs_style", "service", Doc("Read the reference's style", "What /docs looks like."),
        _held("The style.", "text/css", _PAGE),
    )},
    "/docs/guide": {"GET": Open(
        "read_guide", "service",
        Doc("Read the guide", "Its first page. What stands in docs/ of the source, to be read without any other server."),
        _held("The page.", "text/html", _PAGE),
        queries=_LANG,
    )},
    "/docs/guide/{page}": {"GET": Open(
        "read_guide_page", "service",
        Doc("Read a page of the guide", "With `.md` behind its name it is the Markdown that the page is made of."
            " Files that pages lead to, such as examples, are there as well."),
        _held("The page, or what it leads to.", "text/html", _PAGE, also=("text/markdown", "text/plain", "image/svg+xml")),
        (404,),
        parameters={"page": "Such as `guides-orders`."},
        queries=_LANG,
    )},
    "/llms.txt": {"GET": Open(
        "read_llms", "service",
        Doc("Read what there is to read", "Every page of the guide with its first words, as llmstxt.org has it."),
        _held("The list.", "text/plain", _PAGE),
    )},
}  # fmt: skip
