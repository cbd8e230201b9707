"""Figures of each receiver of events: how much waits for it, since when, and whether it answers."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from prometheus_client.core import GaugeMetricFamily

from lastro.webhooks import Circuit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from prometheus_client.metrics_core import Metric

    from lastro.observability.gauges import Gauges

OTHER = "other"
_CIRCUIT: Final[Mapping[Circuit, int]] = {Circuit.CLOSED: 0, Circuit.HALF_OPEN: 1, Circuit.OPEN: 2}


class EndpointNames:
    """Names endpoints in metrics: the first `most`, by host and port.

    They are those that this process delivers to first. All others share the label `other`: the number of series stays what
    the owner asked for, however many receivers there are.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._names: dict[int, str] = {}

    def name(self, endpoint: int, place: str) -> str:
        """Returns the label of an endpoint that is delivered to. place: its host and port."""
        found = self._names.get(endpoint)
        if found is None:
            if len(self._names) >= self._most:
                return OTHER
            found = self._names[endpoint] = place
        return found

    def known(self, endpoint: int) -> str:
        """Returns the label of an endpoint, even if never delivered to."""
        return self._names.get(endpoint, OTHER)

    def every(self) -> set[str]:
        """Returns every label in use."""
        return {*self._names.values(), OTHER}


def of_endpoints(seen: Gauges, names: EndpointNames) -> Iterator[Metric]:
    """Yields the metrics of each host and port from the database. Schemes and companies are added up."""
    open_: defaultdict[str, int] = defaultdict(int)
    oldest: defaultdict[str, float] = defaultdict(float)
    circuit: defaultdict[str, int] = defaultdict(int)
    for depth in seen.depths:
        label = names.known(depth.endpoint)
        open_[label] += depth.open
        oldest[label] = max(oldest[label], depth.oldest)
    for endpoint, state in seen.circuits:
        label = names.known(endpoint)
        circuit[label] = max(circuit[label], _CIRCUIT[state])
    families: tuple[tuple[str, str, Mapping[str, float]], ...] = (
        ("lastro_endpoint_open_deliveries", "Deliveries that have not ended.", open_),
        ("lastro_endpoint_oldest_due_seconds", "For how long the oldest of them has been due.", oldest),
        (
            "lastro_endpoint_circuit",
            "0: it answers. 1: one event tries it. 2: it is left alone.",
            circuit,
        ),
    )
    for name, text, values in families:
        family = GaugeMetricFamily(name, text, labels=["endpoint"])
        for label in sorted(names.every()):
            family.add_metric([label], values.get(label, 0))
        yield family
