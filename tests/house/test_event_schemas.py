"""The schemas of events: whole, true of their examples, one for each kind that is sent, and held against every event."""

import asyncio
import secrets
from datetime import UTC, datetime
from typing import Annotated, Any

import jsonschema_rs
import msgspec
import pytest
from tests.cast import Cast
from tests.conftest import lent
from tests.databases import Database
from tests.event_contract import OF_NOBODY, URL, BrokenSchemaError, Schemas, hold, schemas
from tests.http_contract import BrokenContractError, contract
from tests.in_one import in_one_test

from lastro.api_kit.routes import Answer
from lastro.app import wiring
from lastro.core.commit import commit
from lastro.core.write import Event, Write
from lastro.web import openapi
from lastro.webhooks import EVENTS, EventType

BY_NAME = {notice.name: notice for notice in wiring.EVENT_TYPES}
# Types whose URL a client may set already, and that no room sends yet. Who sends one gives it a Notice, and takes it from here.
NOT_SENT_YET: set[str] = set()

every_notice = in_one_test("notice", wiring.EVENT_TYPES, ids=lambda notice: notice.name)


def test_every_type_of_the_catalogue_has_a_schema_or_is_not_sent() -> None:
    assert {*EVENTS} - BY_NAME.keys() == NOT_SENT_YET
    assert BY_NAME.keys() - {*EVENTS} == {"WEBHOOK.TEST"}
    assert len(BY_NAME) == len(wiring.EVENT_TYPES)
    assert not OF_NOBODY & BY_NAME.keys()


@every_notice
def test_a_schema_is_whole_by_itself(notice: EventType) -> None:
    schema = openapi.event_schema(URL, notice)
    jsonschema_rs.meta.validate(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"{URL}/schemas/{notice.name}.json"
    referred = set(_references(schema))
    assert referred == {f"#/$defs/{name}" for name in schema.get("$defs", {})}
    assert schema["examples"] == [notice.example]
    for name, value in notice.always.items():
        said = schema["properties"][name]
        assert name in schema["required"]
        if isinstance(value, str):
            assert said["const"] == value
        else:
            part = schema["$defs"][said["$ref"].rpartition("/")[2]]
            assert {one: part["properties"][one]["const"] for one in value} == value
            assert {*value} <= {*part["required"]}


@in_one_test("event", [n for n, of in BY_NAME.items() if n.startswith("SUBSCRIPTION") and "data" in of.always])
def test_an_event_of_one_status_says_one(event: str) -> None:
    body = {**BY_NAME[event].example}
    assert schemas().wrong(event, msgspec.json.encode(body)) == []
    another = "CANCELED" if not event.endswith("CANCELED") else "ERROR"
    assert schemas().wrong(event, msgspec.json.encode({**body, "data": {**body["data"], "status": another}}))
    with pytest.raises(BrokenContractError):
        contract().valid(event, _sent(event), {**body, "data": {**body["data"], "status": another}})


def _sent(event: str) -> dict[str, Any]:
    """What the OpenAPI document says of an event's body."""
    said = contract().document["webhooks"][event]["post"]["requestBody"]
    found: dict[str, Any] = said["content"]["application/json"]["schema"]
    return found


def _references(part: Any) -> list[str]:
    if isinstance(part, dict):
        return [*([part["$ref"]] if "$ref" in part else []), *(r for value in part.values() for r in _references(value))]
    return [r for value in part for r in _references(value)] if isinstance(part, list) else []


@every_notice
def test_its_example_is_as_it_says(notice: EventType) -> None:
    assert schemas().wrong(notice.name, msgspec.json.encode(notice.example)) == []


@every_notice
def test_a_receiver_that_checks_is_not_broken_by_a_new_field(notice: EventType) -> None:
    published = jsonschema_rs.Draft202012Validator(openapi.event_schema(URL, notice), validate_formats=True)
    assert published.is_valid({**notice.example, "isNew": True})


PAID = "ORDER-PAYIN.PAID"


def changed(**fields: Any) -> bytes:
    return msgspec.json.encode({**BY_NAME[PAID].example, **fields})


@pytest.mark.parametrize(
    ("event", "body"),
    [
        (PAID, changed(colour="blue")),
        (PAID, changed(payer={**BY_NAME[PAID].example["payer"], "colour": "blue"})),
        (PAID, changed(status="EXPIRED")),
        (PAID, changed(event="ORDER-PAYIN.EXPIRED")),
        (PAID, changed(paidAt="yesterday")),
        (PAID, changed(amount={"currency": "BRL", "value": 10.5})),
        (PAID, msgspec.json.encode({k: v for k, v in BY_NAME[PAID].example.items() if k != "controlNumber"})),
        (PAID, b"{}"),
        (PAID, b"PAID"),
        ("ORDER-PAYIN.LOST", changed()),
        ("MED.CREATED", b"{}"),
    ],
)
def test_what_is_not_as_it_says_is_seen(event: str, body: bytes) -> None:
    assert schemas().wrong(event, body)


class Odd(Answer, frozen=True, kw_only=True):
    """A body that nobody sends."""

    event: str
    colour: Annotated[str, msgspec.Meta(description="Of nothing.")]


def test_a_kind_of_event_whose_parts_are_none() -> None:
    odd = EventType("ODD", "Odd", "Nothing.", Odd, {"event": "ODD"}, {"event": "ODD", "colour": "blue"})
    assert "$defs" not in openapi.event_schema(URL, odd)
    assert Schemas(odd).wrong("ODD", b'{"event":"ODD","colour":"blue"}') == []
    assert Schemas(odd).wrong("ODD", b'{"event":"ODD","colour":"blue","size":1}')


def test_a_database_is_not_let_go_with_an_event_that_breaks_its_schema(request: pytest.FixtureRequest) -> None:
    for body, why in ((changed(colour="blue"), "colour"), (b"{}", "event")):
        borrowed = lent(request, "clone", secrets.token_hex(4))
        database = next(borrowed)
        asyncio.run(_tell(database, PAID, changed(), body))
        with pytest.raises(BrokenSchemaError, match=why):
            next(borrowed)


def test_a_type_without_a_schema_is_seen_wherever_it_was_born(request: pytest.FixtureRequest) -> None:
    borrowed = lent(request, "clone", secrets.token_hex(4))
    database = next(borrowed)
    asyncio.run(_tell(database, "KEY-CLAIM.FORGOTTEN", b"{}"))
    with pytest.raises(BrokenSchemaError, match=r"KEY-CLAIM\.FORGOTTEN has no schema"):
        next(borrowed)


def test_those_that_keep_it_are_counted(own_database: Database) -> None:
    asyncio.run(_tell(own_database, PAID, changed(), changed(message="Paid")))
    assert asyncio.run(hold(own_database.audit)) == 2


async def _tell(database: Database, event: str, *bodies: bytes) -> None:
    """Events with these bodies are born, as a verb would bear them."""
    cast = Cast.of(database.app)
    try:
        company_id = (await cast.ana()).company_id
        events = tuple(Event(cast.id(), event, cast.id(), None, body, datetime.now(UTC)) for body in bodies)
        await commit(cast.database, Write(company_id, events=events))
    finally:
        await cast.close()
