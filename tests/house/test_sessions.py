"""Which session reads what: that of a company its rows, that of none the installation's, `everywhere` all companies' rows.

A company's rows may lie on a server of their own (docs/decisions/distribution.md). There, its session sees the company's tables and
those that are whole on each server; a session of no company sees the installation's.
"""

import ast
import re

from lastro.ops.distribute import EVERYWHERE

from .relations import HOLE, blocks, short, statement, tables, touched, touched_by, touched_in
from .tree import PRODUCT, Function, Module, definitions

REFERENCE = EVERYWHERE - {"migrations"}  # on each server, whole
# Where sessions of no company go, and nowhere else.
INSTALLATION = frozenset(
    {
        "beats", "directory_buckets", "directory_look_ups", "directory_unknown", "law_checks", "people", "people_acts", "people_links",
        "people_sessions", "rail_cursors", "sealing_keys", "sign_in_tries", "signing_keys",
    }
)  # fmt: skip
# Statements that sessions of no company are handed, and that cannot be followed to where they are written.
_HANDED = {
    "core/db.py sql": "everywhere itself, on one server",
    "core/laws.py sql": "a law about people",
    "ops/durability_check.py sql": "a server's settings",
    "worker/laws.py sql": "what was found when a law was read",
}
_OF_SERVERS = frozenset({"observability/gauges.py STANDBYS"})  # about each server, not about rows
# Statements of all companies that add up, order or bound, or come from elsewhere: what is made of the rows of several servers.
_MERGED = {
    "core/db.py sql": "in_reach itself, on one server",
    "core/laws.py sql": "added up by whoever reads a law",
    "core/work_queue.py find_sql": "sorted by the time since which each company waits, and cut",
    "observability/gauges.py BANKS": "those of each connection",
    "observability/gauges.py STANDBYS": "the fewest of any server, and whether all wait",
    "observability/gauges.py TRIED": "the oldest, for each rail",
    "observability/gauges.py UNDELIVERED": "sums",
    "observability/gauges.py what.sql": "sums, and the oldest or the nearest",
    "ops/durability_check.py sql": "each server's settings",
    "ops/eras.py HELD": "sorted by time, and counted; at least so many where they are cut",
    "rails/inbox.py _OWNERS": "of several that were told of a subject, the first",
    "rails/instruments.py _AT_CONNECTIONS": "a set of references",
    "rails/internal_transfer/carrier.py _GIVEN if kind == port.RETURN_SEND else _ASKED": "whether there is any",
    "reconciliation/store.py _MATCHED": "a sum",
    "reconciliation/store.py _RAILS": "a set of names",
    "reconciliation/store.py _UNTOLD_OF.format(settled=settled)": "some of them, by company; it is asked until there are none",
    "reconciliation/store.py _TAKING_SINCE": "each company by itself, in any order",
    "reconciliation/store.py _WITH_OPEN": "counted for each company; sorted",
    "webhooks/store/circuits.py DEPTHS": "those of each endpoint; sorted and cut",
    "webhooks/store/circuits.py _NOT_CLOSED": "those of each endpoint; cut",
    "webhooks/store/deliveries.py _DESTINATIONS": "sorted by turn and time, and cut",
    "webhooks/store/deliveries.py _UNNUMBERED": "the newest event of each company",
    "worker/due_poller.py sql": "whether there is any, for each queue",
    "worker/entry_posting.py _BEHIND": "the newest transfer of each company",
    "worker/sweeper.py self._due.find_sql": "sorted by time; if they are many, shared",
    "worker/sweeper.py shared(self._due.find_sql)": "sorted by turn and time, and cut",
}
_OF_ALL = frozenset({"everywhere", "in_reach"})
_BOUNDS = re.compile(r"\b(GROUP BY|ORDER BY|LIMIT|DISTINCT)\b|\b(count|sum|min|max|bool_or|bool_and|array_agg|string_agg)\(")


def tenants() -> frozenset[str]:
    """The tables of companies' rows."""
    return frozenset(tables()) - REFERENCE - INSTALLATION


def test_every_table_is_a_companys_or_the_installations() -> None:
    named = {name for name, text in tables().items() if re.search(r"^  company_id uuid", text, re.MULTILINE)}
    assert named - REFERENCE == tenants()
    assert tables().keys() >= REFERENCE | INSTALLATION


def test_a_session_of_no_company_reads_the_installation_alone() -> None:
    found = {block.place: touched_in(block) for block in blocks() if not block.has_company}
    assert len(found) > 50
    wrong = {place: sorted(one.tables & tenants()) for place, one in found.items() if one.tables & tenants()}
    assert not wrong, f"these are rows of companies: read them by session(company_id) or by everywhere(): {wrong}"
    assert {name for one in found.values() for name in one.unknown} == _HANDED.keys()


def test_a_companys_session_reads_what_is_on_its_server() -> None:
    wrong = {block.place: touched_in(block).tables & INSTALLATION for block in blocks() if block.has_company}
    for module in PRODUCT:
        read = [
            one for one in definitions(module.tree.body) if isinstance(one, Function) and one.name in {"read", "read_more"}
        ]
        wrong |= {f"{short(module)}:{one.lineno}": touched_by(module, one).tables & INSTALLATION for one in read}
        queries = [one for one in _calls(module) if isinstance(one.func, ast.Name) and one.func.id == "Query"]
        assert module.name != "src/lastro/orders/actions/create.py" or queries
        for one in queries:
            text = statement(module, (*one.args, *(k.value for k in one.keywords))[0])
            wrong[f"{short(module)}:{one.lineno}"] = touched(text or "") & INSTALLATION
        for one in _calls(module):
            if isinstance(one.func, ast.Name) and one.func.id in {"Row", "Move", "Touch", "Relied"} and one.args:
                written = one.args[0].value if isinstance(one.args[0], ast.Constant) else ""
                wrong[f"{short(module)}:{one.lineno}"] = frozenset({str(written)}) & INSTALLATION
    wrong = {place: found for place, found in wrong.items() if found}
    assert not wrong, f"these lie apart from companies: {wrong}"


def test_whoever_reads_everywhere_puts_the_rows_together() -> None:
    merged = set()
    for module in PRODUCT:
        within = {id(n): one for one in definitions(module.tree.body) if isinstance(one, Function) for n in ast.walk(one)}
        for call in _calls(module):
            if isinstance(call.func, ast.Attribute) and call.func.attr in _OF_ALL and call.args:
                text = statement(module, call.args[0], within.get(id(call)))
                place = f"{short(module)} {ast.unparse(call.args[0])}"
                found = touched(text or "")
                is_told = text is not None and HOLE not in text and place not in _OF_SERVERS
                assert not is_told or found & tenants(), f"{place}: no rows of companies, so a session will do"
                assert not found & INSTALLATION, f"{place}: read the installation's by themselves"
                if text is None or _BOUNDS.search(text):
                    merged.add(place)
    assert merged == _MERGED.keys()


def _calls(module: Module) -> list[ast.Call]:
    return [node for node in module.nodes if isinstance(node, ast.Call)]
