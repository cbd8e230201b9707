# ruff: noqa: RUF001 - letters that only look like others are what is tested here
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.base.outgoing.addresses import address_allowed, is_loopback, port_allowed, url_problem

# What is refused in production and in the sandbox alike.
HOSTILE = [
    # private, link-local, metadata, shared, reserved
    "https://10.0.0.1/",
    "https://10.255.255.255:8443/x",
    "https://172.16.0.1/",
    "https://172.31.255.254/",
    "https://192.168.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://169.254.0.1/",
    "https://100.64.0.1/",
    "https://100.100.100.200/latest/meta-data/",
    "https://100.127.255.255/",
    "https://168.63.129.16/",
    "https://192.0.0.192/",
    "https://0.0.0.0/",
    "https://0.1.2.3/",
    "https://192.0.2.1/",
    "https://198.18.0.1/",
    "https://198.51.100.1/",
    "https://203.0.113.1/",
    "https://192.88.99.1/",
    "https://224.0.0.1/",
    "https://239.255.255.255/",
    "https://240.0.0.1/",
    "https://255.255.255.255/",
    # the same and public addresses in odd forms
    "https://127.1/",
    "https://127.0.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://0X7F.1/",
    "https://0x7f.0x0.0x0.0x1/",
    "https://017700000001/",
    "https://0177.0.0.1/",
    "https://0177.0.0.01/",
    "https://127.0.0.01/",
    "https://127.0.0.1./",
    "https://8.8.8.8./",
    "https://134744072/",
    "https://08.8.8.8/",
    "https://256.256.256.256/",
    "https://1.2.3/",
    "https://1.2.3.4.5/",
    "https://example.123/",
    "https://example.0x7f/",
    "https://0x/",
    "https://3232235521/",
    "https://0xa9fea9fe/",
    "https://0251.0376.0251.0376/",
    "https://169.254.43518/",
    # digits and letters that only look like others, and a dot that only looks like one
    "https://１０.０.０.１/",
    "https://⑯⑨.②⑤④.⑯⑨.②⑤④/",
    "https://169。254。169。254/",
    "https://169．254．169．254/",
    "https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ.ⓛⓞⓒⓐⓛ/",
    "https://ｐｒｉｎｔｅｒ．ｌｏｃａｌ/",
    "https://metadata.google.ｉｎｔｅｒｎａｌ/",
    "https://loc\u00adalhost.local/",
    "https://\u200bexample.com/",
    # IPv6
    "https://[::]/",
    "https://[fe80::1]/",
    "https://[fe80::1%25eth0]/",
    "https://[fe80::1%eth0]/",
    "https://[2606:4700:4700::1111%25eth0]/",
    "https://[::1%25lo]/",
    "https://[fc00::1]/",
    "https://[fd00:ec2::254]/latest/meta-data/",
    "https://[fec0::1]/",
    "https://[ff02::1]/",
    "https://[ff0e::1]/",
    "https://[2001:db8::1]/",
    "https://[3fff::1]/",
    "https://[100::1]/",
    "https://[5f00::1]/",
    "https://[4000::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[::ffff:0:169.254.169.254]/",
    "https://[::169.254.169.254]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b::10.0.0.1]/",
    "https://[64:ff9b::127.0.0.1]/",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://[64:ff9b:1::8.8.8.8]/",
    "https://[2002:7f00:1::]/",
    "https://[2002:a9fe:a9fe::1]/",
    "https://[2002:808:808::1]/",
    "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "https://[2001:10::1]/",
    "https://[2001:20::1]/",
    "https://[2620:4f:8000::1]/",
    "https://[1::2::3]/",
    "https://[example.com]/",
    "https://[127.0.0.1]/",
    "https://[]/",
    "https://[::1/",
    "https://::1]/",
    "https://::1/",
    "https://fe80::1/",
    # reserved names and names without a dot
    "https://intranet/",
    "https://metadata/",
    "https://a.localhost/",
    "https://a.localhost./",
    "https://localhost.localhost/",
    "https://printer.local/",
    "https://PRINTER.LOCAL./",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://metadata.google.internal./",
    "https://router.home.arpa/",
    "https://home.arpa/",
    "https://a.invalid/",
    "https://a.b.c.Invalid/",
    "https://localhost../",
    "https://example..com/",
    "https://.example.com/",
    "https://example.com../",
    "https://./",
    "https://-a.example.com/",
    "https://a-.example.com/",
    f"https://{'a' * 64}.example.com/",
    f"https://{'a.' * 127}com/",
    # user-info, ports, schemes, form
    "https://user@example.com/",
    "https://user:pass@example.com/",
    "https://@example.com/",
    "https://:@example.com/",
    "https://example.com@169.254.169.254/",
    "https://example.com%40169.254.169.254/",
    "https://169.254.169.254#@example.com/",
    "https://169.254.169.254?@example.com/",
    "https://example.com\\@169.254.169.254/",
    "https://169.254.169.254\\.example.com/",
    "https://example.com:0/",
    "https://example.com:65536/",
    "https://example.com:99999/",
    "https://example.com:/",
    "https://example.com:-1/",
    "https://example.com:+443/",
    "https://example.com:4 43/",
    "https://example.com:４４３/",
    "https://example.com:443:443/",
    "https://example.com:443x/",
    "https://example.com:0x1bb/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com:70/_",
    "unix:///run/x.sock",
    "javascript:alert(1)",
    "httpss://example.com/",
    "//example.com/",
    "/hook",
    "example.com/hook",
    "https:example.com",
    "https:/example.com/",
    "https:///example.com/",
    "https://",
    "https://?x",
    "https://#x",
    "",
    " https://example.com/",
    "https://example.com/ ",
    "https://exam ple.com/",
    "https://example.com/a b",
    "https://example.com/\r\nX-Evil: 1",
    "https://example.com/\t",
    "https://example.com/\0",
    "https://example.com/\x7f",
    "https://example.com/\u2028",
    "https://example.com/\ud800",
    "https://exam\nple.com/",
    "https://%31%36%39.254.169.254/",
    "https://example%2ecom/",
    "https://exa*mple.com/",
    "https://exa<mple.com/",
    "https://xn--/",
    "https://example.com/" + "a" * 2029,
]

# What the sandbox admits and production does not.
LOCAL = [
    "https://127.0.0.1/",
    "https://127.0.0.1:8443/hook",
    "https://127.8.9.10/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://localhost:3000/hook?x=1",
    "https://ｌｏｃａｌｈｏｓｔ/",
    "https://[::1]/",
    "https://[0:0:0:0:0:0:0:1]:3000/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "http://127.0.0.1:9000/hook",
    "http://localhost:9000/",
    "http://[::1]:9000/",
    "HTTP://example.com/",
    "http://8.8.8.8/",
]

GOOD = [
    "https://example.com",
    "https://example.com/",
    "HTTPS://EXAMPLE.COM/",
    "https://example.com./hook",
    "https://example.com:8443/hook?a=b&c=%20#part",
    "https://example.com:1/",
    "https://example.com:65535/",
    "https://example.com/@user",
    "https://example.com?to=a@b.com",
    "https://my_app.example.com/",
    "https://a.b.c.d.example.com.br/",
    "https://1.example.com/",
    "https://127.0.0.1.nip.io/",  # its addresses are looked at when it is asked
    "https://local.example.com/",
    "https://internal.example/",
    "https://notlocal.a-local/",
    "https://café.com.br/pagamento",
    "https://xn--caf-dma.com.br/",
    "https://例え.jp/",
    "https://example.com/pagamento/ação",
    "https://8.8.8.8/",
    "https://1.1.1.1:8443/",
    "https://[2606:4700:4700::1111]/",
    "https://[2800:3f0:4001:800::200e]:8443/hook",
    "https://[::ffff:8.8.8.8]/",
    "https://[64:ff9b::8.8.8.8]/",
    "https://example.com/" + "a" * 2028,
]


def test_the_table_is_long_enough() -> None:
    assert len(set(HOSTILE)) == len(HOSTILE) > 60


@pytest.mark.parametrize("sandbox", [False, True])
@pytest.mark.parametrize("url", HOSTILE)
def test_hostile_urls_are_refused_everywhere(url: str, sandbox: bool) -> None:
    problem = url_problem(url, sandbox=sandbox)
    assert problem is not None
    assert problem.endswith(".")


@pytest.mark.parametrize("url", LOCAL)
def test_loopback_and_http_are_for_the_sandbox(url: str) -> None:
    assert url_problem(url, sandbox=False) is not None
    assert url_problem(url, sandbox=True) is None


@pytest.mark.parametrize("sandbox", [False, True])
@pytest.mark.parametrize("url", GOOD)
def test_honest_urls_pass(url: str, sandbox: bool) -> None:
    assert url_problem(url, sandbox=sandbox) is None


@pytest.mark.parametrize("sandbox", [False, True])
@given(st.one_of(st.text(max_size=60), st.text(max_size=40).map("https://".__add__)))
def test_any_text_has_an_answer(sandbox: bool, text: str) -> None:
    problem = url_problem(text, sandbox=sandbox)
    assert problem is None or problem.endswith(".")


@given(st.ip_addresses(v=4))
def test_a_literal_passes_exactly_if_its_address_does(address: IPv4Address) -> None:
    allowed = address_allowed(str(address), sandbox=False)
    assert (url_problem(f"https://{address}/", sandbox=False) is None) == allowed
    assert (url_problem(f"https://[::ffff:{address}]/", sandbox=False) is None) == allowed
    assert (url_problem(f"https://[64:ff9b::{address}]/", sandbox=False) is None) == allowed
    # Python's own idea of "global" is never stricter than ours.
    assert address.is_global or not allowed


@given(st.ip_addresses(v=6))
def test_an_ipv6_literal_passes_exactly_if_its_address_does(address: IPv6Address) -> None:
    allowed = address_allowed(str(address), sandbox=False)
    assert (url_problem(f"https://[{address.exploded}]/", sandbox=False) is None) == allowed
    # Unicast that is given out, IPv4 inside, or IPv4 behind a translator.
    assert not allowed or int(address) >> 125 == 1 or int(address) >> 32 in (0xFFFF, 0x64FF9B << 64)


@given(
    st.integers(0, 2**32 - 1).map(IPv4Address),
    st.sampled_from(["{0}", "{0:#x}", "0{0:o}", "{1}.{2}", "{1:#x}.{2}", "0{1:o}.{2}"]),
)
def test_no_odd_form_of_any_ipv4_address_passes(address: IPv4Address, written: str) -> None:
    number = int(address)
    url = f"https://{written.format(number, number >> 24, number & 0xFFFFFF)}/"
    assert url_problem(url, sandbox=False) is not None
    assert url_problem(url, sandbox=True) is not None


@given(st.ip_addresses())
def test_the_sandbox_adds_loopback_and_nothing_else(address: IPv4Address | IPv6Address) -> None:
    text = str(address)
    assert address_allowed(text, sandbox=True) == (address_allowed(text, sandbox=False) or is_loopback(text))


@pytest.mark.parametrize("address", ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1"])
def test_loopback_is_refused_outside_of_the_sandbox(address: str) -> None:
    assert is_loopback(address)
    assert not address_allowed(address, sandbox=False)
    assert address_allowed(address, sandbox=True)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "localhost",
        "127.1",
        "0",
        "0.0.0.0",
        "::",
        "fe80::1%2",
        "::1%lo",
        "64:ff9b::127.0.0.1",
        "8.8.8.8 ",
        "1.1.1.1/32",
    ],
)
def test_what_is_no_address_to_connect_to_is_refused_everywhere(address: str) -> None:
    assert not address_allowed(address, sandbox=True)
    assert not address_allowed(address, sandbox=False)


@pytest.mark.parametrize(
    ("host", "port", "allowed"),
    [
        ("127.0.0.1", 8080, False),
        ("127.9.9.9", 8080, False),
        ("::1", 5432, False),
        ("::ffff:127.0.0.1", 5432, False),
        ("localhost", 8080, False),
        ("LOCALHOST.", 8080, False),
        ("127.0.0.1", 8090, True),
        ("localhost", 3000, True),
        ("8.8.8.8", 8080, True),
        ("example.com", 5432, True),
    ],
)
def test_our_own_ports_are_closed_on_loopback(host: str, port: int, allowed: bool) -> None:
    assert port_allowed(host, port, frozenset({8080, 5432})) == allowed
