"""Acts of tests and people on transfers: listing them and returning one."""

import json
import re
from typing import Any

from lastro_sim.forms import Form
from lastro_sim.network import Network

from . import returns, transfers

CODE = re.compile(r"[1-9][0-9]{0,2}")
WORDS = {transfers.EFFECTIVE: "SETTLED", transfers.PENDING: "PENDING"}


def listed(network: Network, num_ctrl_if: str | None, limit: int) -> list[dict[str, Any]]:
    """Lists transfers that reached the STR, oldest first: the newest `limit`, or one. Each numCtrlIf stands once."""
    told = []
    for row in network.store.newest("ted", limit, num_ctrl_if=num_ctrl_if):
        one = transfers.shown(network, row)
        word = WORDS.get(one["status"], "REJECTED")
        told.append(
            one
            | {"status": word, "creditor": json.loads(row["body"])["creditor"]}
            | ({"code": one["status"]} if word == "REJECTED" else {})
        )
    return told


def give_back(network: Network, form: Form) -> dict[str, Any]:
    """Returns a whole transfer from the receiver's bank. A second return, or one of nothing, is refused."""
    num_ctrl_if, num_ctrl_str = form.maybe_text("numCtrlIf", 20), form.maybe_text("numCtrlStr", 20)
    if form.given("numCtrlIf") is None and form.given("numCtrlStr") is None:
        form.refuse("numCtrlIf", "REQUIRED", "A numCtrlIf or a numCtrlStr is needed")
    elif form.given("numCtrlIf") is not None and form.given("numCtrlStr") is not None:
        form.refuse("numCtrlStr", "MUTUALLY_EXCLUSIVE", "One of the two, not both")
    number = form.given("code")
    code = str(number) if isinstance(number, int) and not isinstance(number, bool) else form.text("code", 3)
    if code and CODE.fullmatch(code) is None:
        form.refuse("code", "INVALID", "A CodDevTransf has one to three digits")
    form.check()
    named = {"num_ctrl_if": num_ctrl_if} if num_ctrl_str is None else {"num_ctrl_str": num_ctrl_str}
    known = network.store.find("ted", **named)
    if known is None:
        return {"status": "REJECTED", "code": "UNKNOWN_TRANSFER"}
    if transfers.status(network, known)[0] != transfers.EFFECTIVE:
        return {"status": "REJECTED", "code": "NOT_SETTLED"}
    if returns.of(network, known) is not None:
        return {"status": "REJECTED", "code": "ALREADY_RETURNED"}
    own_number = transfers.new_num_ctrl_str(network)
    returns.give_back(network, known, own_number, code, network.clock.business())
    return {"numCtrlStr": own_number, "status": "SETTLED"}
