"""No secret is kept in the repository: nothing that a scanner would take for one, and no example that could be one."""

import re
import subprocess
from collections.abc import Iterator

import pytest

from .tree import ROOT

# What gives a secret away, whoever made it. Ours first: `lsk_` and `whsec_` are there so that scanners know them.
PATTERNS = {
    "client secret": r"\blsk_[0-9A-Za-z]{43}",
    "webhook secret": r"\bwhsec_[0-9A-Za-z+/]{32,}={0,2}",
    "line of a keys file": r"^[\w.-]+ [0-9A-Za-z+/]{43}=( current)?$",
    "private key": r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----",
    "private JWK": r"\"d\"\s*:\s*\"[\w-]{40,}\"",
    "signed token": r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{40,}",
    # At a host that could be one: with a dot, and neither bare numbers nor a name that is nobody's.
    "password in an address": r"\b[a-z][a-z0-9+]{2,}://[^\s/:@\"'{}<>]+:[^\s/:@\"'{}<>]{3,}"
    r"@(?!(?:[\w-]+\.)*(?:example|test|invalid|local|internal)\b)(?![\d.]+\b)[\w-]+\.[\w.-]+",
    "AWS key": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "Google key": r"\bAIza[\w-]{35}",
    "GitHub token": r"\b(?:gh[pousr]_[0-9A-Za-z]{36}|github_pat_\w{60,})",
    "Slack token": r"\bxox[abprs]-[\w-]{10,}",
    "Stripe key": r"\b[rs]k_live_[0-9A-Za-z]{16,}",
}
# What is found and is nobody's secret, and why. A new example is better written so that no scanner takes it for one.
EXAMPLES = {
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw": "the example of the Standard Webhooks specification",
    "whsec_bGFzdHJvIGVuc2luYSBhIGNvbmZlcmlyIG9zIHdlYmhvb2tz": "a sentence, in vectors to try a receiver with",
}
_LARGEST = 2_000_000


def tracked() -> Iterator[tuple[str, str]]:
    """Name and text of every file that is in the repository, or would be with the next commit."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True
    )
    for name in listed.stdout.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file() and not path.is_symlink() and path.stat().st_size < _LARGEST:
            yield name, path.read_bytes().decode("utf-8", "replace")


def found_in(name: str, text: str) -> list[str]:
    return [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1} {kind}"
        for kind, pattern in PATTERNS.items()
        for match in re.finditer(pattern, text, re.MULTILINE)
        if match[0] not in EXAMPLES
    ]


def test_no_secret_is_kept_here() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    files = list(tracked())
    assert len(files) > 200
    found = [one for name, text in files for one in found_in(name, text)]
    assert not found, "\n".join(found)


def test_every_exception_is_still_needed() -> None:
    texts = [text for name, text in tracked() if name != "tests/house/test_secrets.py"]
    assert [value for value in EXAMPLES if not any(value in text for text in texts)] == []


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("client secret", ("lsk_", "A1b2" * 10 + "xyz")),
        ("webhook secret", ("whsec_", "QUJD" * 11 + "=")),
        ("line of a keys file", ("k1 ", "QUJD" * 10 + "QUI= current")),
        ("private key", ("-----BEGIN ", "EC PRIVATE KEY-----")),
        ("private JWK", ('"d": "', "n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT" + '"')),
        ("signed token", ("eyJhbGciOiJFZERTQSJ9.", "eyJzdWIiOiJsY18wMDAwMSJ9." + "A" * 86)),
        ("password in an address", ("postgresql://lastro:", "s3cret1@db.lastro.io/lastro")),
        ("AWS key", ("AKIA", "IOSFODNN7EXAMPLE")),
        ("Google key", ("AIza", "SyA" * 11 + "Sy")),
        ("GitHub token", ("ghp_", "a1B2" * 9)),
        ("Slack token", ("xoxb-", "123456789012-abcdef")),
        ("Stripe key", ("sk_live_", "4eC39HqLyjWDarjt")),
    ],
)
def test_what_is_one_is_found(kind: str, parts: tuple[str, str]) -> None:
    """The examples stand here in two parts, so that this file holds none."""
    assert found_in("a file", "first\n" + "".join(parts) + "\n") == [f"a file:2 {kind}"]
