"""The one list of pages: the role and the handler of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lastro.console import (
    audit,
    charging,
    clients,
    connections,
    developing,
    downloads,
    eras,
    ledger,
    overview,
    paying,
    planning,
    profile,
    receipts,
    reconciling,
    resending,
    users,
    verifying,
)
from lastro.console.actions import ACTIONS
from lastro.console.kinds import BY_NAME, KINDS
from lastro.console.lists import LISTINGS
from lastro.console.objects import Doing, Objects, document
from lastro.console.search import page as search
from lastro.console.shell import Act, Page
from lastro.console.tables import Lists
from lastro.people import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

# Each page that the menu names: its path, its word, and whom it is shown to.
NAVIGATION: Final[Sequence[tuple[str, str, Role]]] = (
    ("/console", "nav.overview", Role.READ),
    *((f"/console/{one.name}", f"nav.{one.name}", Role.READ) for one in LISTINGS),
    ("/console/ledger", "nav.ledger", Role.READ),
    ("/console/reconciliation", "nav.reconciliation", Role.READ),
    (connections.HERE, "nav.connections", Role.READ),
    ("/console/verify", "nav.verify", Role.READ),
    (eras.HERE, "nav.eras", Role.READ),
    (developing.HERE, "nav.developers", Role.READ),
    ("/console/people", "nav.people", Role.ADMINISTER),
    ("/console/audit", "nav.audit", Role.ADMINISTER),
)
_DOINGS: Final = tuple(Doing(BY_NAME[action.of], action) for action in ACTIONS)
PAGES: Final[Sequence[Page]] = (
    Page("GET", "/console", Role.READ, overview.show),
    Page("GET", "/console/me", Role.READ, profile.show, needs_company=False),
    Page("POST", "/console/me/preferences", Role.READ, profile.prefer, needs_company=False),
    Page("POST", "/console/me/password", Role.READ, profile.password, needs_company=False),
    Page("GET", "/console/me/factor", Role.READ, profile.factor, needs_company=False),
    Page("POST", "/console/me/factor", Role.READ, profile.add_factor, needs_company=False),
    Page("POST", "/console/sign-out", Role.READ, profile.sign_out, needs_company=False),
    Page("GET", "/console/company", Role.READ, profile.companies_list, needs_company=False),
    Page("POST", "/console/company", Role.READ, profile.choose, needs_company=False),
    Page("GET", "/console/people", Role.ADMINISTER, users.everybody, needs_company=False),
    Act("POST", "/console/people", Role.ADMINISTER, users.invite, needs_company=False),
    Page("GET", "/console/people/{id}", Role.ADMINISTER, users.show, needs_company=False),
    Act("POST", "/console/people/{id}/roles", Role.ADMINISTER, users.permit, needs_company=False),
    Page("GET", "/console/people/{id}/end", Role.ADMINISTER, users.ask_end, needs_company=False),
    Act("POST", "/console/people/{id}/end", Role.ADMINISTER, users.end, needs_company=False),
    Act("POST", "/console/people/{id}/factor", Role.ADMINISTER, users.take_factor, needs_company=False),
    Act("POST", "/console/people/{id}/sign-out", Role.ADMINISTER, users.sign_out, needs_company=False),
    Page("GET", "/console/audit", Role.ADMINISTER, audit.show, needs_company=False),
    Page("GET", "/console/search", Role.READ, search.show),
    Page("GET", charging.HERE, Role.OPERATE, charging.new),
    Page("GET", f"{charging.HERE}/price", Role.OPERATE, charging.price),
    Act("POST", charging.HERE, Role.OPERATE, charging.add),
    Page("GET", paying.HERE, Role.OPERATE, paying.new),
    Act("POST", paying.HERE, Role.OPERATE, paying.add),
    Page("GET", planning.HERE, Role.OPERATE, planning.new),
    Act("POST", planning.HERE, Role.OPERATE, planning.add, largest_body=planning.LARGEST),
    Page("GET", f"{planning.HERE}/sample", Role.OPERATE, planning.sample),
    Page("GET", f"{planning.LIST}/{{id}}/problems", Role.READ, planning.problems),
    Page("GET", f"{planning.LIST}/{{id}}/result", Role.READ, planning.result),
    *(Page("GET", f"/console/{one.name}", Role.READ, Lists(one).show) for one in LISTINGS),
    *(Page("GET", f"/console/{one.name}/csv", Role.READ, downloads.Export(one).show) for one in LISTINGS),
    Page("GET", "/console/accounts/{id}/statement", Role.READ, downloads.statement),
    Page("GET", "/console/accounts/{id}/statement/file", Role.READ, downloads.statement_file),
    Page("GET", "/console/payouts/{id}/receipt", Role.READ, downloads.receipt),
    Page("GET", "/console/orders/{id}/receipt", Role.READ, receipts.show),
    *(Page("GET", f"/console/{kind.name}/{{id}}", Role.READ, Objects(kind).show) for kind in KINDS),
    *(Page("GET", one.action.place, one.action.role, one.ask) for one in _DOINGS),
    *(one.as_act() for one in _DOINGS),
    Page("GET", "/console/disputes/{id}/documents/{documentId}", Role.READ, document),
    Page("GET", "/console/ledger", Role.READ, ledger.show),
    Page("POST", "/console/ledger", Role.READ, ledger.add_up),
    Page("GET", "/console/ledger/accounts/{id}", Role.READ, ledger.account),
    Page("GET", "/console/ledger/transfers/{id}", Role.READ, ledger.transfer),
    Page("GET", "/console/messages/{direction}/{id}", Role.READ, ledger.message),
    Page("GET", "/console/verify", Role.READ, verifying.show),
    Page("GET", eras.HERE, Role.READ, eras.show),
    Page("GET", connections.HERE, Role.READ, connections.show),
    Page("GET", "/console/reconciliation", Role.READ, reconciling.show),
    Page("GET", "/console/reconciliation/{id}/accept", Role.APPROVE, reconciling.ask),
    Act("POST", "/console/reconciliation/{id}/accept", Role.APPROVE, reconciling.accept),
    Page("GET", developing.HERE, Role.READ, developing.show),
    Page("GET", f"{developing.HERE}/clients", Role.ADMINISTER, clients.new),
    Act("POST", f"{developing.HERE}/clients", Role.ADMINISTER, clients.add),
    Page("GET", f"{developing.HERE}/clients/{{id}}", Role.READ, clients.show),
    *(
        Page("GET", f"{developing.HERE}/clients/{{id}}/{act}", Role.ADMINISTER, clients.ask)
        for act in ("secret", "revoke", "revoke-tokens")
    ),
    *(Act("POST", f"{developing.HERE}/clients/{{id}}/{act}", Role.ADMINISTER, clients.change) for act in clients.BODIES),
    Page("GET", developing.WEBHOOKS, Role.READ, developing.webhooks),
    Act("POST", f"{developing.WEBHOOKS}/url", Role.ADMINISTER, developing.send_to),
    Page("GET", f"{developing.WEBHOOKS}/secret", Role.ADMINISTER, developing.ask_secret),
    Act("POST", f"{developing.WEBHOOKS}/secret", Role.ADMINISTER, developing.renew_secret),
    Act("POST", f"{developing.WEBHOOKS}/test", Role.OPERATE, developing.try_out),
    Page("GET", resending.HERE, Role.OPERATE, resending.show),
    Act("POST", resending.HERE, Role.OPERATE, resending.send),
    Page("GET", developing.FEED, Role.READ, developing.feed),
)
