import pytest

from lastro.config.settings import read
from lastro.core.declined import StartRefused
from lastro.http_client import Proxy


@pytest.mark.parametrize(
    ("given", "proxy"),
    [
        ("", None),
        (" ", None),
        ("http://proxy.internal:3128", Proxy("proxy.internal", 3128)),
        ("http://10.1.2.3:3128/", Proxy("10.1.2.3", 3128)),
        ("http://[fd00::1]:8080", Proxy("fd00::1", 8080)),
        ("HTTP://Proxy:80", Proxy("proxy", 80)),
    ],
)
def test_a_proxy_is_a_host_and_a_port(given: str, proxy: Proxy | None) -> None:
    assert read({"LASTRO_OUTGOING_PROXY": given}).outgoing_proxy == proxy


def test_what_other_programs_are_told_is_not_read() -> None:
    others = dict.fromkeys(("HTTP_PROXY", "https_proxy", "ALL_PROXY", "no_proxy"), "http://127.0.0.1:3128")
    assert read(others).outgoing_proxy is None


@pytest.mark.parametrize(
    "given",
    [
        "proxy.internal:3128",
        "http://proxy.internal",
        "http://proxy.internal:0",
        "http://proxy.internal:65536",
        "http://proxy.internal:x",
        "http://:3128",
        "http://user:hunter2@proxy.internal:3128",
        "http://user@proxy.internal:3128",
        "http://@proxy.internal:3128",
        "http://proxy.internal:3128/path",
        "http://proxy.internal:3128?a",
        "http://proxy.internal:3128#a",
        "https://proxy.internal:3128",
        "socks5://proxy.internal:1080",
        "http://[fd00::1:8080",
    ],
)
def test_anything_else_is_refused_and_not_repeated(given: str) -> None:
    with pytest.raises(StartRefused) as refused:
        read({"LASTRO_OUTGOING_PROXY": given})
    assert str(refused.value) == "LASTRO_OUTGOING_PROXY must be http://host:port and nothing else: no user, no path."
