"""Routes of the outside bank's acts, for tests: no token."""

from lastro_sim.routes import act, listing

from .acts import OutsideBank

ROUTES = (
    act("/bank/outside/charges", OutsideBank.issue, "outside"),
    listing("/bank/outside/charges", OutsideBank.charges, "txId", of="outside"),
    act("/bank/outside/charges/{tx_id:str}", OutsideBank.change, "outside"),
    act("/bank/outside/static-codes", OutsideBank.static_code, "outside"),
)
