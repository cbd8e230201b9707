"""No line of the product turns off what TLS checks: the certificate of the other side, and its name."""

import ast
import re

import pytest

from .tree import modules

# The words by which libraries are told not to look, in any of their spellings.
_OFF = re.compile(
    r"CERT_NONE|CERT_OPTIONAL|_create_unverified_context|_create_default_https_context|TLSVersion\.(SSLv3|TLSv1|TLSv1_1)\b"
)
_FLAGS = {"verify", "check_hostname", "ssl", "verify_ssl", "ssl_verify", "validate_certs"}


def turned_off(name: str, text: str) -> list[str]:
    """Each place that turns a check off: a word, an argument or an attribute set to False."""
    found = [
        f"{name}:{number} {match[0]}" for number, line in enumerate(text.splitlines(), 1) for match in _OFF.finditer(line)
    ]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.keyword) and node.arg in _FLAGS and _is_false(node.value):
            found.append(f"{name}:{node.value.lineno} {node.arg}=False")
        elif isinstance(node, ast.Assign) and _is_false(node.value):
            found += [
                f"{name}:{node.lineno} {one.attr} = False"
                for one in node.targets
                if isinstance(one, ast.Attribute) and one.attr in _FLAGS
            ]
    return found


def _is_false(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is False


def test_nothing_turns_off_what_tls_checks() -> None:
    every = [m for m in modules("src") if m.name.startswith(("src/lastro/", "src/lastro_tools/"))]
    assert len(every) > 300
    found = [one for m in every for one in turned_off(m.name, m.text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "context.check_hostname = False",
        "context.verify_mode = ssl.CERT_NONE",
        "client.get(url, verify=False)",
        "session.request('GET', url, ssl=False)",
        "context = ssl._create_unverified_context()",
        "context.minimum_version = ssl.TLSVersion.TLSv1_1",
    ],
)
def test_a_check_that_is_turned_off_is_seen(text: str) -> None:
    assert turned_off("a file", text)


def test_a_context_that_checks_is_not_taken_for_one() -> None:
    assert (
        turned_off(
            "a file", "context.check_hostname = True\ncontext.minimum_version = ssl.TLSVersion.TLSv1_2\nx(verify=True)"
        )
        == []
    )
