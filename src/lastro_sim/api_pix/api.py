"""Routes of the bank on the simulator's plain port: acts for tests, and its locations, which payers' banks read."""

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from lastro_sim.answers import answer
from lastro_sim.network import Network
from lastro_sim.routes import act, listing

from . import control, locations, notices, server, shapes, signing
from .dialects import STANDARD
from .problems import ProblemError
from .recurring import control as recurring
from .recurring import locations as recurrence_locations

ROUTES = (
    act("/bank/company/customers", control.add_customer),
    act("/bank/company/customers/{client_id:str}/dialect", control.set_dialect),
    act("/bank/company/customers/{client_id:str}/certificate", control.issue_certificate, needs_body=False),
    act("/bank/company/payments", control.pay),
    act("/bank/company/charges/{tx_id:str}/amount", control.set_amount),
    act("/bank/company/charges/{tx_id:str}/remove", control.remove, needs_body=False),
    act("/bank/company/pix/{end_to_end_id:str}/return", control.give_back, needs_body=False),
    act("/bank/company/notices", control.send_notice),
    listing("/bank/company/customers", control.list_customers),
    listing("/bank/company/charges", control.list_charges, "txId"),
    listing("/bank/company/pix", control.list_pix, "endToEndId"),
    listing("/bank/company/notices", notices.listed),
    act("/bank/company/recurrences/{id_rec:str}/authorize", recurring.authorize, needs_body=False),
    act("/bank/company/recurrences/{id_rec:str}/decline", recurring.decline, needs_body=False),
    act("/bank/company/recurrences/{id_rec:str}/cancel", recurring.cancel, needs_body=False),
    listing("/bank/company/recurrences", recurring.list_recurrences, "idRec"),
    listing("/bank/company/scheduled-charges", recurring.list_charges, "txId"),
)


@get(locations.PATH + "/{token:str}")
async def charge_location(network: NamedDependency[Network], token: FromPath[str]) -> Response[bytes]:
    """Serves a signed charge of the bank."""
    return _served(network, "", token)


@get(recurrence_locations.PATH + "/{token:str}")
async def recurrence_location(network: NamedDependency[Network], token: FromPath[str]) -> Response[bytes]:
    """Serves a signed recurrence of the bank."""
    return _served(network, "rec/", token)


@get(signing.KEYS)
async def charge_location_keys(network: NamedDependency[Network]) -> Response[bytes]:
    """Returns the public halves of the bank's keys, as JWKS."""
    return answer(signing.published(network))


def _served(network: Network, kind: str, token: str) -> Response[bytes]:
    try:
        found = server.located(network, kind, token)
    except ProblemError as error:
        found = shapes.problem(error, STANDARD, network.chance.uuid())
    raw = found.body if isinstance(found.body, bytes) else msgspec.json.encode(found.body)
    return Response(raw, status_code=found.status, media_type=found.media_type, headers=dict(found.headers))
