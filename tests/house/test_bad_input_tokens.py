"""Everything that can be wrong with asking for a token, without a token: no client is found by rubbish, nothing breaks."""

import base64
from typing import Annotated

import msgspec
import pytest
from msgspec import inspect
from tests.in_one import in_one_test

from lastro.web.application import LARGEST_FORM

from .bad_input import BODIES, Field, body, unread, values
from .strangers import Answer, Town

LOGIN, OAUTH = "/auth/v1/token", "/oauth2/token"
_TEXT = inspect.type_info(Annotated[str, msgspec.Meta(max_length=256)])
FIELDS = [Field((name,), _TEXT, required=True) for name in ("clientId", "clientSecret")]
SCOPES = Field(("scopes",), inspect.type_info(list[str]), required=False)


def client(town: Town) -> dict[str, str]:
    """A client that is there, so that its row is looked at; and a secret that is wrong."""
    return {"clientId": town.ana.client_id, "clientSecret": "lsk_" + "x" * 43}


def no_to(content: bytes) -> int:
    """What a body that is wrong is refused with: nobody reads more than a stranger has to say."""
    return 413 if len(content) > LARGEST_FORM else 400


async def sent(town: Town, content: bytes) -> Answer:
    return await town.send_raw("POST", LOGIN, [("content-type", "application/json")], content)


@in_one_test("field", FIELDS, ids=lambda f: f.name)
async def test_a_bad_client_or_secret_is_refused(town: Town, field: Field) -> None:
    """A text that could be one is simply not it (401); anything else is named (400)."""
    before, named = await town.written(), 0
    for bad in values(field) + unread(field):
        content = body(client(town), field, bad)
        answer = await sent(town, content)
        what = f"{bad.label}: {answer.status} {answer.body!r}"
        if answer.status == 401:
            assert bad.text is not None, what
            assert answer.problems == [], what
        else:
            assert answer.status == no_to(content), what
            assert [name for name, _ in answer.problems] in ([field.name], ["body"]), what
            named += 1
    assert named > 20
    assert await town.written() == before


async def test_a_bad_scope_is_refused(town: Town) -> None:
    for bad in values(SCOPES) + unread(SCOPES):
        content = body(client(town), SCOPES, bad)
        answer = await sent(town, content)
        if bad.label in ("missing", "null"):
            assert answer.status == 401
        else:
            assert answer.status == no_to(content), bad.label
            assert [name for name, _ in answer.problems] in (["scopes"], ["body"]), bad.label


async def test_a_body_that_is_none_is_refused(town: Town) -> None:
    for label, content in {**BODIES, "nothing": b""}.items():
        answer = await sent(town, content)
        assert (answer.status, [name for name, _ in answer.problems]) == (no_to(content), ["body"]), label
        assert answer.headers["content-type"] == "application/json"
    both = await sent(town, b"{}")
    assert both.problems == [("clientId", "REQUIRED"), ("clientSecret", "REQUIRED")]


async def test_no_text_is_a_client(town: Town) -> None:
    """Ids begin with their company's number; whatever stands behind it is looked for in that company."""
    own = town.ana.client_id
    for text in (
        own[:-1],
        own + "x",
        own + "\0",
        own[:8] + "\0" + own[9:],
        own[:8] + "\u0661" * 22,
        "lc_",
        "lc_" + "\uff10" * 22,
        "lc_00001" + "é" * 17,
        own.upper(),
        "%",
        "lc_zzzzz" + "0" * 17,
    ):
        answer = await sent(town, msgspec.json.encode({**client(town), "clientId": text}))
        assert answer.status in (400, 401), (text, answer.body)


@pytest.mark.parametrize(
    ("content", "status", "error"),
    [
        (b"", 400, "invalid_request"),
        (b"grant_type=", 400, "unsupported_grant_type"),
        (b"grant_type=client_credentials", 401, "invalid_client"),
        (b"grant_type=client_credentials&grant_type=password", 400, "invalid_request"),
        (b"grant_type=client_credentials&client_id=%00&client_secret=%00", 401, "invalid_client"),
        (b"grant_type=client_credentials&client_id=%FF&client_secret=%ED%A0%80", 401, "invalid_client"),
        (b"grant_type=client_credentials&client_id=\xff&client_secret=\xed\xa0\x80", 401, "invalid_client"),
        (b"grant_type=client_credentials&client_id=lc_00001%00&client_secret=x", 401, "invalid_client"),
        (b"grant_type=client_credentials&client_id=" + b"a" * 60_000, 401, "invalid_client"),
        (b"grant_type=client_credentials&scope=%00", 400, "invalid_scope"),
        (b'{"grant_type":"client_credentials"}', 400, "invalid_request"),
        (b"\x1f\x8b\x08\x00", 400, "invalid_request"),
        (b"&" * 60_000, 400, "invalid_request"), (b"a&" * 32_000, 400, "invalid_request"),
    ],
)  # fmt: skip
async def test_rubbish_by_oauth_is_refused_as_its_rfc_says(town: Town, content: bytes, status: int, error: str) -> None:
    before = await town.written()
    answer = await town.send_raw("POST", OAUTH, [("content-type", "application/x-www-form-urlencoded")], content)
    assert (answer.status, answer.json) == (status, {"error": error})
    assert (answer.headers["content-type"], answer.headers["cache-control"]) == ("application/json", "no-store")
    assert await town.written() == before


@pytest.mark.parametrize(
    "said", [b"", b"=", b"a", b"\xff", b"a:b", b"\0:\0", b":", b"%00:%00", b"%FF:%FF", b"lc_00001\0:x", "lc_é:é".encode()]
)
async def test_rubbish_in_basic_is_refused(town: Town, said: bytes) -> None:
    for text in (said.decode("latin-1"), base64.b64encode(said).decode()):
        answer = await town.send_raw("POST", OAUTH, [("authorization", f"Basic {text}")], b"grant_type=client_credentials")
        assert (answer.status, answer.json) == (401, {"error": "invalid_client"})
        assert answer.headers["www-authenticate"].startswith("Basic")


@pytest.mark.parametrize(
    ("scheme", "more", "status"),
    [
        ("Basic", "", 401), ("Basic", "&client_id=lc_1", 401), ("Basic", "&client_id=lc_2", 400),
        ("Basic", "&client_id=lc_1&client_secret=x", 400), ("Basic", "&client_secret=", 400), ("Bearer", "&client_id=lc_1&client_secret=x", 400),
    ],
)  # fmt: skip
async def test_a_client_authenticates_in_one_way(town: Town, scheme: str, more: str, status: int) -> None:
    """RFC 6749 §2.3: never by header and body both; an id beside the header is no second way, unless it is another one."""
    basic = base64.b64encode(b"lc_1:x").decode()
    answer = await town.send_raw(
        "POST", OAUTH, [("authorization", f"{scheme} {basic}")], f"grant_type=client_credentials{more}".encode()
    )
    assert (answer.status, answer.json["error"]) == (status, "invalid_client" if status == 401 else "invalid_request")
