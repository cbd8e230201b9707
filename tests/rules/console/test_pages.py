"""What the console's pages are made of: pictures, words, what a search reads, what an act sends."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import jinja2
import pytest

from lastro import payouts
from lastro.api_kit import rendering
from lastro.console import actions, company_page, entrance, lists, live, overview, timeline
from lastro.console.charts import Chart, Series, bounds_of, draw, step_of
from lastro.console.figures import BUCKETS, Hour
from lastro.console.kinds import KINDS, LINES, MOVEMENTS
from lastro.console.objects import rows_in
from lastro.console.search import parsing, store
from lastro.console.terms import FRAME, TERMS, Terms
from lastro.console.typed import amount, document
from lastro.core.ids import Chance
from lastro.core.money import Money
from lastro.keys.claims.states import CLAIMER, DONOR, OWNERSHIP, PORTABILITY
from lastro.med import states as med
from lastro.med.model import REASONS, SITUATIONS
from lastro.ops.machines import MACHINES
from lastro.subscriptions.model import FREQUENCIES
from lastro.timeline.shapes import AttemptEntry, Entry, EventDelivery, EventEntry, MessageEntry, StateEntry, TransferEntry

PT, EN = Terms("pt"), Terms("en")
CONSOLE = Path(actions.__file__).parent
ID = UUID("0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21")
AT = "2026-11-22T15:04:05.000000Z"


def chart(kind: Any, *rows: tuple[int | None, ...]) -> Chart:
    series = tuple(Series(f"<{n}>", row) for n, row in enumerate(rows))
    return Chart("c", "A & b", "<about>", kind, tuple("xyz"[: len(rows[0])]), series, str)


def test_a_page_lists_the_tries_of_all_charges() -> None:
    table = next(t for kind in KINDS if kind.name == "subscriptions" for t in kind.tables if t.within is not None)
    tried = {"kind": "RIFL", "date": "2027-01-11", "status": "REJECTED", "errorMessage": "AB10: x", "errorCure": "Wait."}
    rows = rows_in(table, {"payments": [{"externalId": "one", "attempts": [tried]}, {"externalId": "two", "attempts": []}]})
    shown = [cell.text for row in rows for cell in lists.cells(table.columns, row, EN)]
    assert shown == ["one", "2027-01-11", "Another try on another day", "Rejected", "", "AB10: x", "Wait."]


@pytest.mark.parametrize(
    ("highest", "lowest", "step"), [(0, 0, 1), (3, 0, 1), (9, 0, 5), (41, 0, 20), (1_234_567, 0, 500_000), (5, -5, 5)]
)
def test_the_grid_has_few_round_lines(highest: int, lowest: int, step: int) -> None:
    assert step_of(highest, lowest) == step


@pytest.mark.parametrize(
    ("made", "low", "high"),
    [
        (chart("bars", (1, 9, 2)), 0, 10),
        (chart("stack", (4, 9, 2), (8, 1, 0)), 0, 15),
        (chart("line", (-3, 4, None)), -4, 4),
        (chart("bars", (0, 0, 0)), 0, 1),
    ],
)
def test_the_grid_reaches_over_the_numbers(made: Chart, low: int, high: int) -> None:
    assert bounds_of(made)[:2] == (low, high)


@pytest.mark.parametrize("kind", ["bars", "stack", "line"])
def test_a_picture_says_what_it_shows_and_escapes_it(kind: Any) -> None:
    drawn = draw(chart(kind, (1, None, 3), (0, 2, 2)))
    assert 'role="img" aria-labelledby="c-title c-about"' in drawn
    assert "A &amp; b</title>" in drawn
    assert "&lt;about&gt;</desc>" in drawn
    assert "style=" not in drawn


def test_bars_stand_on_zero_and_are_as_high_as_their_numbers() -> None:
    heights = [float(one) for one in re.findall(r'<rect [^>]*height="([\d.]+)"', draw(chart("bars", (10, 5, 0))))]
    assert len(heights) == 2
    assert heights[0] == pytest.approx(2 * heights[1], rel=0.01)


def test_a_line_breaks_where_nothing_is_known() -> None:
    drawn = draw(chart("line", (1, None, 3)))
    assert drawn.count("<circle") == 2
    assert "<polyline" not in drawn


def test_the_table_beside_has_every_number() -> None:
    assert chart("line", (1, None), (3, 4)).rows == [("x", ["1", "3"]), ("y", ["", "4"])]


@pytest.mark.parametrize(
    ("minor", "pt", "en"),
    [
        (123_456, "R$ 1.234,56", "R$ 1,234.56"),
        (-5, "\N{MINUS SIGN}R$ 0,05", "\N{MINUS SIGN}R$ 0.05"),
        (0, "R$ 0,00", "R$ 0.00"),
    ],
)
def test_amounts_are_written_as_their_readers_write_them(minor: int, pt: str, en: str) -> None:
    said = [say.money(Money(minor, "BRL")).replace("\N{NO-BREAK SPACE}", " ") for say in (PT, EN)]
    assert said == [pt, en]
    assert PT.paid(str(Money(minor, "BRL"))) == PT.money(Money(minor, "BRL"))


@pytest.mark.parametrize(
    ("part", "whole", "said"), [(1, 3, "33,3%"), (2, 3, "66,7%"), (0, 0, "\N{EM DASH}"), (5, 5, "100,0%")]
)
def test_a_share_is_rounded_half_up(part: int, whole: int, said: str) -> None:
    assert PT.percent(part, whole).replace("\N{NO-BREAK SPACE}", " ") == said


@pytest.mark.parametrize(
    ("milliseconds", "said"), [(0, "0 ms"), (999, "999 ms"), (1000, "1.0 s"), (90_000, "1.5 min"), (7_200_000, "2.0 h")]
)
def test_a_span_is_told_in_its_unit(milliseconds: int, said: str) -> None:
    assert EN.span(milliseconds).replace("\N{NO-BREAK SPACE}", " ") == said


def test_moments_are_of_brasilia() -> None:
    assert PT.moment(AT) == "22/11/2026 12:04:05"
    assert EN.moment(AT) == "2026-11-22 12:04:05"


def test_every_word_that_a_page_says_is_there() -> None:
    known, read = {*TERMS, *FRAME}, [*CONSOLE.glob("*.py"), *(CONSOLE / "templates").glob("*.html")]
    said = {m for one in read for m in re.findall(r'\b(?:t|say)\(\s*"([\w.-]+)"\s*[,)]', one.read_text(encoding="utf-8"))}
    assert said - known == set()
    columns = [column for kind in KINDS for column in (*kind.facts, *(c for table in kind.tables for c in table.columns))]
    columns += [column for listing in lists.LISTINGS for column in listing.columns]
    columns += [column for table in (LINES, MOVEMENTS) for column in table.columns]
    made = {f"field.{column.name}" for column in columns} | {f"thing.{kind.thing}" for kind in KINDS}
    made |= {f"list.{one.name}" for one in lists.LISTINGS} | {table.title for kind in KINDS for table in kind.tables}
    for action in actions.ACTIONS:
        made |= {f"action.{action.of}.{action.name}", f"action.{action.of}.{action.name}.about"}
        made |= {f"field.{blank.name}" for blank in action.blanks}
        made |= {f"choice.{word}" for blank in action.blanks for word in blank.choices if word}
    assert made - known == set()


def test_every_status_has_words() -> None:
    states = {state for machine in MACHINES for (before, _), after in machine.moves.items() for state in (before, after)}
    assert {f"state.{one}" for one in states if one} - set(TERMS) == set()


def test_what_a_page_tells_by_a_word_of_the_interface_is_said_in_words() -> None:
    """An enumeration that a page shows is no English constant; money's place is told with its bank."""
    shown = (*med.OBJECT_TYPES, *med.ROLES, *REASONS, *SITUATIONS, *FREQUENCIES, PORTABILITY, OWNERSHIP, CLAIMER, DONOR)
    for say in (PT, EN):
        assert [word for word in shown if say.word(word) == word] == []
    by_account = {"name": "Bia", "document": "***.444.777-**", "ispb": "99999030", "branch": "0001", "account": "3"}
    assert lists.party(by_account, PT).lines == ("***.444.777-**", "ISPB 99999030", "Agência 0001, conta 3")
    named = {"name": "Bia", "bank": {"name": "Banco", "ispb": "99999030"}}
    assert lists.party(named, EN).lines == ("Banco, ISPB 99999030",)


def test_every_template_can_be_read() -> None:
    made = jinja2.Environment(loader=jinja2.FileSystemLoader(CONSOLE / "templates"), autoescape=True)
    for name in made.list_templates():
        made.get_template(name)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (f"  {str(ID).upper()} ", {"id": ID}),
        ("529.982.247-25", {"document": "52998224725"}),
        ("12.abc.345/01de-35", {"document": "12ABC34501DE35"}),
        ("R$ 1.234,56", {"minor": 123_456}),
        ("1,234.56", {"minor": 123_456}),
        ("10,50", {"minor": 1050}),
        ("R$ 10", {"minor": 1000}),
        ("10", {"minor": None}),
        ("Ana@Example.com", {"key": "ana@example.com"}),
        ("+55 (11) 98765-4321", {"key": "+5511987654321"}),
        ("10,50 22/11/2026", {"minor": 1050, "text": "10,50 22/11/2026"}),
        ("shop-2026-11-22", {"minor": None, "document": None, "text": "shop-2026-11-22"}),
        ("", {"is_empty": True}),
    ],
)
def test_a_search_reads_what_it_may_be(text: str, fields: dict[str, Any]) -> None:
    wanted = parsing.read(text)
    assert {name: getattr(wanted, name) for name in fields} == fields


def test_a_day_behind_an_amount_is_brasilias() -> None:
    since, until = parsing.read("1.00 2026-11-22").period
    assert since == datetime(2026, 11, 22, 3, tzinfo=UTC)
    assert until == datetime(2026, 11, 23, 3, tzinfo=UTC) - timedelta(microseconds=1)


def test_the_last_of_all_days_ends_where_time_does() -> None:
    since, until = parsing.read("10,50 31/12/9999").period
    assert since == datetime(9999, 12, 31, 3, tzinfo=UTC)
    assert until.astimezone(UTC) == datetime.max.replace(tzinfo=UTC)


def test_what_was_made_with_a_party_has_an_id_near_its_own() -> None:
    chance, at = Chance(lambda n: b"\xff" * n), datetime(2026, 11, 22, tzinfo=UTC)
    party, own, later = chance.uuid(at), chance.uuid(at), chance.uuid(at + timedelta(milliseconds=1))
    first, last = store.around(party)
    assert first <= own <= last < later


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("1.234,56", "1234.56"), ("1,234.56", "1234.56"), ("R$ 10,5", "10.5"), ("10", "10"), ("ten", "ten"),
        *((odd, odd) for odd in ("1e3", "1e400", "1e4000000000", "1_000", "NaN", "Infinity", "-1", "1.2345", "\u0663", "")),
    ],
)  # fmt: skip
def test_an_amount_is_sent_as_the_interface_takes_it(typed: str, sent: str) -> None:
    assert amount(typed) == sent


@pytest.mark.parametrize(
    ("typed", "kind", "number"),
    [("529.982.247-25", "CPF", "52998224725"), ("11.222.333/0001-81", "CNPJ", "11222333000181"),
     ("12.abc.345/01de-35", "CNPJ", "12ABC34501DE35"), ("", "CPF", "")],
)  # fmt: skip
def test_a_document_is_sent_as_the_interface_takes_it(typed: str, kind: str, number: str) -> None:
    assert document(typed) == {"type": kind, "number": number}


def test_a_page_asks_for_news_only_in_states_that_there_are() -> None:
    """Each of them is left again, so that a page does not wait for nothing."""
    machines = {"orders": "orders", "payouts": "payouts", "plans": "payout_plans"}
    assert set(live.MOVING) == set(machines)
    for kind, name in machines.items():
        machine = next(one for one in MACHINES if one.name == name)
        left = {before for (before, _), after in machine.moves.items() if after != before}
        assert live.MOVING[kind] <= left, kind


def test_a_refund_is_of_what_is_left_and_named_by_its_form() -> None:
    order = {
        "id": str(ID),
        "paidAmount": {"currency": "BRL", "value": "10.50"},
        "refundedAmount": {"currency": "BRL", "value": "0.50"},
    }
    action = next(one for one in actions.ACTIONS if (one.of, one.name) == ("orders", "refund"))
    assert "R$\N{NO-BREAK SPACE}10,00" in actions.consequence(action, order, PT), (
        "what is left is said, and nothing is filled in"
    )
    body = action.body({"amount": "10,00", "refundCode": "MD06"}, order, "f")
    assert body == {
        "orderId": str(ID), "externalId": "console-f", "refundCode": "MD06", "amount": {"currency": "BRL", "value": "10.00"},
    }  # fmt: skip


def test_every_act_says_what_it_will_do_in_both_languages() -> None:
    answer = {"id": "x", "amount": {"currency": "BRL", "value": "1.00"}, "lines": 3}
    for action in actions.ACTIONS:
        assert all("{" not in actions.consequence(action, answer, say) for say in (PT, EN))


def test_what_moves_money_asks_for_proof_and_approval_is_not_operating() -> None:
    money = {f"{one.of}.{one.name}" for one in actions.ACTIONS if one.moves_money}
    assert money == {
        "orders.refund", "payouts.approve", "plans.approve", "plans.apply", "disputes.answer",
        "disputes.reimburse", "disputes.refuse", "accounts.unblock", "foreign.claim",
    }  # fmt: skip


def test_no_blank_of_an_act_is_called_as_what_the_frame_asks_for() -> None:
    assert not {blank.name for action in actions.ACTIONS for blank in action.blanks} & entrance._HIDDEN


def test_the_buckets_have_names() -> None:
    assert len(overview._BUCKET_NAMES) == len(BUCKETS) + 1
    assert list(BUCKETS) == sorted(BUCKETS)


@pytest.mark.parametrize(("name", "columns"), [("24h", 24), ("7d", 7), ("x", 24)])
def test_a_period_ends_with_now(name: str, columns: int) -> None:
    now = datetime(2026, 11, 22, 1, 30, tzinfo=UTC)
    period = overview.period_of(name, now)
    assert len(period.steps) == columns
    assert period.steps[-1] <= now < period.steps[-1] + period.step
    assert all(after - before == period.step for before, after in pairwise(period.steps))
    assert overview.column_of(now, period) == columns - 1
    assert overview.column_of(period.since - timedelta(seconds=1), period) is None


def test_hours_are_added_up_by_currency() -> None:
    at = datetime(2026, 11, 22, tzinfo=UTC)
    hours = [Hour(at, "BRL", 1, 0, 100, 0), Hour(at, "BRL", 2, 1, 50, 7), Hour(at, "MXN", 0, 1, 0, 9)]
    found = overview.sums(hours)
    assert [(currency, ins, came.minor, outs, went.minor) for currency, ins, came, outs, went in found] == [
        ("BRL", 3, 150, 1, 7), ("MXN", 0, 0, 1, 9),
    ]  # fmt: skip


def test_each_step_of_a_story_leads_on() -> None:
    money = rendering.Money(currency="BRL", value="10.50")
    entries: list[Entry] = [
        StateEntry(at=AT, object="order", id=str(ID), from_state="INITIAL", to="PAID", trigger="pay"),
        StateEntry(at=AT, object="payment", id="p", to="ACCEPTED", trigger="accept"),
        TransferEntry(
            at=AT, id="t", reference_id=str(ID), entry="PIX_IN", movement="moved", debit="NET", credit="CUST", amount=money
        ),
        MessageEntry(at=AT, id="m", direction="in", network="pix", message="pix.ask", network_id="n", sends=1),
        EventEntry(at=AT, id="e", reference_id=str(ID), type="X", delivery=EventDelivery(status="FAILED", attempts=5)),
        AttemptEntry(at=AT, event_id="e", number=1, status_code=0, message="", duration_ms=3),
    ]
    told = timeline.steps(entries, PT, str(ID))
    assert [step.link for step in told] == [
        None, "/console/payments/p", "/console/ledger/transfers/t", "/console/messages/in/m", "/console/events/e",
        "/console/events/e",
    ]  # fmt: skip
    assert [step.tone for step in told] == ["good", "good", "calm", "waiting", "bad", "bad"]
    assert told[0].title == "Cobrança: Inicial → Paga"


def test_secrets_of_a_message_are_masked_and_codes_of_networks_are_not() -> None:
    told = company_page.told(
        b'{"code":"AB03","token":"t0","card":{"number":"4111","holder":"Ana"},"lines":[{"secret":"s0"}]}'
    )
    assert "AB03" in told
    assert "Ana" in told
    assert not {"t0", "4111", "s0"} & set(re.findall(r"\w+", told))
    assert company_page.told(b"plain") == "plain"
    assert company_page.told(b"\xff\x00") == "ff00"
    assert "deep" not in company_page.told(b"[" * 50_000 + b'"deep"' + b"]" * 50_000)


@pytest.mark.parametrize(
    "name",
    ["cryptogram", "authenticationValue", "challengeUrl", "challenge_url", "challengeAccessToken", "threeDsToken", "cardToken",
     "card_token", "Authorization"],
)  # fmt: skip
def test_what_authenticates_a_card_is_masked(name: str) -> None:
    told = company_page.told(f'{{"threeDs":{{"{name}":"s0","eci":"05"}}}}'.encode())
    assert "s0" not in told
    assert "05" in told


@pytest.mark.parametrize("number", ["10.50", "1E2", "1e400", "-0.0", "0", "100000000000000000000000.10", "9" * 5000])
def test_numbers_of_a_message_are_shown_as_they_were_written(number: str) -> None:
    said = f'{{"a": {number}, "b": [{number}, true, null], "c": {{}}, "d": "é"}}'
    told = company_page.told(said.encode())
    assert "".join(told.split()) == "".join(said.split())
    assert told.splitlines()[1] == f'  "a": {number},'


def test_an_answers_amounts_keep_their_digits() -> None:
    assert company_page.pretty({"value": Decimal("10.50"), "none": []}) == '{\n  "value": 10.50,\n  "none": []\n}'


def test_a_list_asks_the_api_for_its_own_filters_alone() -> None:
    route = next(one for one in payouts.routes(None) if one.operation == "list_payouts")  # type: ignore[arg-type]
    asked = lists.asked_of(route, {"status": "PAID", "externalId": " ", "mine": "x", "cursor": AT, "limit": "5000"})
    assert asked == {"status": "PAID", "cursor": AT, "limit": "50"}
    fields = lists.fields_of(route, {"status": "PAID"}, PT)
    assert {one.name for one in fields}.isdisjoint({"limit", "cursor"})
    assert next(one for one in fields if one.name == "status").value == "PAID"
    assert next(one for one in fields if one.name == "from").kind == "date"


def test_a_table_goes_on_by_the_apis_cursor() -> None:
    listing = next(one for one in lists.LISTINGS if one.name == "payouts")
    row = {"id": "1", "createdAt": AT, "status": "PAID", "amount": "1.00", "currency": "BRL"}
    shown = lists.shown(
        listing, {"data": [row], "hasNext": True, "nextCursor": "c"}, {"status": "PAID", "limit": "50"}, PT, "/p"
    )
    assert shown.next_link == "/p?status=PAID&cursor=c"
    assert shown.rows[0][0] == "/console/payouts/1"
    assert lists.shown(listing, {"data": [], "hasNext": False}, {}, PT, "/p").next_link is None
    assert lists.shown(listing, {"data": [], "hasNext": True, "page": 2}, {}, PT, "/p").next_link == "/p?page=3"


def test_a_field_is_called_as_its_form_calls_it_and_a_refusal_is_in_the_pages_language() -> None:
    assert (PT.field("amount.value"), EN.field("order.amount.value")) == ("Valor", "Amount")
    assert PT.refusal("REQUIRED", "is required") == "falta preencher"
    assert EN.refusal("REQUIRED", "is required") == "is required"
    assert (
        PT.refusal("CONFLICT", "the order is PAID: nothing was paid for it")
        == "a cobrança está na situação “Paga”: nada foi pago por ela"
    )
    assert PT.refusal("NOT_ALLOWED", "no words of ours") == "não é permitido (no words of ours)"
