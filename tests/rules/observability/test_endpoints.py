"""Figures of each receiver: so many series as the owner asks for, and nothing left out of their sums."""

from uuid import UUID

from prometheus_client.parser import text_string_to_metric_families

from lastro.observability.endpoints import OTHER, EndpointNames, of_endpoints
from lastro.observability.gauges import Gauges
from lastro.observability.metrics import Metrics
from lastro.webhooks import Attempt, Circuit, Depth
from lastro.webhooks.rules import FailureKind


def attempt(endpoint: int, failure: FailureKind | None = None) -> Attempt:
    return Attempt(
        "deliveries", "ORDER-PAYIN.PAID", "retrying", 0.1, UUID(int=1), endpoint=endpoint, place=f"host{endpoint}.example",
        failure=failure,
    )  # fmt: skip


def seen(*depths: Depth, circuits: tuple[tuple[int, Circuit], ...] = ()) -> Gauges:
    return Gauges(depths=depths, circuits=circuits)


def read(gauges: Gauges, names: EndpointNames) -> dict[str, dict[str, float]]:
    return {family.name: {s.labels["endpoint"]: s.value for s in family.samples} for family in of_endpoints(gauges, names)}


def test_the_first_are_named_and_all_others_are_one() -> None:
    names = EndpointNames(2)
    assert [names.name(n, f"host{n}") for n in (1, 2, 3, 1, 4)] == ["host1", "host2", OTHER, "host1", OTHER]
    assert (names.known(2), names.known(3)) == ("host2", OTHER)
    assert names.every() == {"host1", "host2", OTHER}


def test_who_asks_for_no_names_is_told_none() -> None:
    metrics = Metrics(0)
    metrics.worked(attempt(1))
    assert metrics.endpoints.every() == {OTHER}


def test_depths_are_added_up_and_the_worst_is_told() -> None:
    names = EndpointNames(2)
    names.name(1, "a.example")
    names.name(2, "b.example")
    found = read(
        seen(
            Depth(1, 5, 2, 30.0, is_held=False), Depth(1, 7, 7, 90.0, is_held=True), Depth(8, 1, 1, 4.0, is_held=False),
            Depth(9, 2, 0, -60.0, is_held=False),
            circuits=((1, Circuit.HALF_OPEN), (1, Circuit.OPEN), (9, Circuit.HALF_OPEN)),
        ),
        names,
    )  # fmt: skip
    assert found == {
        "lastro_endpoint_open_deliveries": {"a.example": 12, "b.example": 0, OTHER: 3},
        "lastro_endpoint_oldest_due_seconds": {"a.example": 90.0, "b.example": 0, OTHER: 4.0},
        "lastro_endpoint_circuit": {"a.example": 2, "b.example": 0, OTHER: 1},
    }


async def test_attempts_are_counted_by_how_they_ended() -> None:
    metrics = Metrics(1)
    for one in (attempt(1), attempt(1), attempt(1, FailureKind.TIMEOUT), attempt(2, FailureKind.BAD_STATUS), attempt(3)):
        metrics.worked(one)
    families = text_string_to_metric_families((await metrics.text()).decode())
    (family,) = (f for f in families if f.name == "lastro_delivery_attempts")
    counted = {(s.labels["endpoint"], s.labels["outcome"]): s.value for s in family.samples if s.name.endswith("_total")}
    assert counted == {
        ("host1.example", "acknowledged"): 2, ("host1.example", "timeout"): 1, (OTHER, "bad_status"): 1,
        (OTHER, "acknowledged"): 1,
    }  # fmt: skip


async def test_the_number_of_series_does_not_grow_with_receivers() -> None:
    metrics = Metrics(3)
    for n in range(1000):
        for failure in (None, *FailureKind):
            metrics.worked(attempt(n, failure))
    text = (await metrics.text()).decode()
    assert text.count("lastro_delivery_attempts_total{") == 4 * (1 + len(FailureKind))
