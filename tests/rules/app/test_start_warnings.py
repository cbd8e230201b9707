"""A production that serves without a proxy is warned of: nothing else holds slow callers."""

import pytest
from structlog.testing import capture_logs

from lastro.api_kit.proxies import LOOPBACK, Proxies
from lastro.ops.start_checks import warn_of_direct_callers


@pytest.mark.parametrize(
    ("mode", "proxies", "said"),
    [
        ("production", Proxies(), ["http.no_proxy"]),
        ("production", Proxies(LOOPBACK), []),
        ("sandbox", Proxies(), []),
    ],
)
def test_a_production_without_a_proxy_is_warned_of(mode: str, proxies: Proxies, said: list[str]) -> None:
    with capture_logs() as lines:
        warn_of_direct_callers(mode, proxies)
    assert [line["event"] for line in lines] == said
