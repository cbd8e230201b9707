"""What may be said about logs and figures."""

from ipaddress import ip_network

import pytest
from tests.in_one import in_one_test

from lastro.config.given import Given
from lastro.config.settings import read
from lastro.config.watching import Watching, watching
from lastro.core.declined import StartRefused

OUTSIDE = {"LASTRO_MODE": "production"}


def test_where_nothing_is_said() -> None:
    made = read({})
    assert (made.log_level, made.worker_metrics_port) == ("info", None)
    assert made.metrics_networks == (ip_network("127.0.0.0/8"), ip_network("::1/128"))
    assert made.watching == Watching()
    assert watching(Given(OUTSIDE)).law_hours == (1, 5)


def test_what_may_be_said() -> None:
    made = read({
        "LASTRO_LOG_LEVEL": "debug", "LASTRO_METRICS_NETWORKS": "10.1.0.0/16, fd00::/8", "LASTRO_WORKER_METRICS_PORT": "9100",
    })  # fmt: skip
    assert (made.log_level, made.worker_metrics_port) == ("debug", 9100)
    assert made.metrics_networks == (ip_network("10.1.0.0/16"), ip_network("fd00::/8"))
    told = {"LASTRO_OTLP_URL": "http://127.0.0.1:4318", "LASTRO_TRACE_ONE_IN": "100", "LASTRO_LAW_HOURS": "22-24"}
    assert read(told).watching == Watching("http://127.0.0.1:4318/v1/traces", 100, (22, 24))
    assert watching(Given(OUTSIDE | {"LASTRO_LAW_HOURS": "never"})).law_hours is None


@in_one_test(
    ("name", "value"),
    [
        ("LASTRO_LOG_LEVEL", "loud"), ("LASTRO_LOG_LEVEL", "INFO"), ("LASTRO_METRICS_NETWORKS", "everybody"),
        ("LASTRO_METRICS_NETWORKS", "10.0.0.1/8"), ("LASTRO_WORKER_METRICS_PORT", "0"),
        ("LASTRO_WORKER_METRICS_PORT", "65536"), ("LASTRO_WORKER_METRICS_PORT", "x"),
        ("LASTRO_OTLP_URL", "127.0.0.1:4318"), ("LASTRO_OTLP_URL", "http://a:b@c"), ("LASTRO_OTLP_URL", "grpc://c:4317"),
        ("LASTRO_OTLP_URL", "http://c:x"), ("LASTRO_TRACE_ONE_IN", "0"), ("LASTRO_TRACE_ONE_IN", "0.1"),
        ("LASTRO_LAW_HOURS", "5-1"), ("LASTRO_LAW_HOURS", "1-25"), ("LASTRO_LAW_HOURS", "always"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(name: str, value: str) -> None:
    with pytest.raises(StartRefused, match=name):
        read({name: value})
