"""Calls of the webhooks of recurrences and scheduled charges: `/rec` with `recs`, `/cobr` with `cobsr`.

They have the faults of the Pix's. Source: API Pix 2.9.0, callbacks rec and cobr.
"""

from typing import Any, Final

from lastro_sim.api_pix import notices
from lastro_sim.api_pix.calls import Row
from lastro_sim.network import Network

TABLE: Final = "bank_recurrence_webhook"
OF_RECURRENCES, OF_CHARGES = "rec", "cobr"
_LISTS: Final = {OF_RECURRENCES: "recs", OF_CHARGES: "cobsr"}
_FORGED: Final[dict[str, dict[str, Any]]] = {
    OF_RECURRENCES: {"idRec": f"RN{'0' * 27}", "status": "APROVADA"},
    OF_CHARGES: {"txid": "0" * 32, "status": "CONCLUIDA"},
}


def tell(network: Network, kind: str, row: Row, item: dict[str, Any], shown_from: int) -> None:
    """Queues a notice of a recurrence or a charge. shown_from: from when the bank shows what it tells."""
    hook = network.store.find(TABLE, kind=kind, client_id=row["client_id"])
    if hook is None:
        return
    about: dict[str, str | None] = {"idRec": row["id_rec"], "txId": item.get("txid")}
    delay = max(0, shown_from - network.clock.business())
    news = notices.News(f"/{kind}", _LISTS[kind], item, _FORGED[kind], TABLE, kind, delay)
    notices.send(network, hook, about, news)
