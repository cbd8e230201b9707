"""A call as curl: whatever it holds, a shell hands curl the same words again."""

import subprocess
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro_sandbox.calls import Call, CallAnswer, as_curl, make, shown

_BASE = "http://127.0.0.1:8080"
# Stands for curl in a shell: its words, each behind its length, and what it would read.
_CURL = 'curl() { for one in "$@"; do printf "%s\\0" "$one"; done; case "$*" in *"@-"*) cat;; esac; }\n'
_texts = st.text(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126), min_size=1, max_size=40)


def words(script: str) -> tuple[list[bytes], bytes]:
    """What curl is given, and what it reads."""
    done = subprocess.run(
        ["/bin/sh", "-c", _CURL + script], capture_output=True, check=True, env={"TOKEN": "t0k"}, timeout=20
    )
    assert not done.stderr
    *given_words, read = done.stdout.split(b"\0") if b"@-" not in done.stdout else _cut(done.stdout)
    return given_words, read


def _cut(out: bytes) -> list[bytes]:
    given_words, _, read = out.partition(b"@-\0")
    return [*given_words.split(b"\0")[:-1], b"@-", read]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["GET", "POST", "PUT", "DELETE"]), st.text(max_size=20), _texts, _texts,
    st.none() | st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode()),
)  # fmt: skip
def test_a_shell_reads_what_was_called(method: str, segment: str, first: str, second: str, body: bytes | None) -> None:
    path = f"/a/{quote(segment, safe='')}?b={quote(second)}"
    headers = {"authorization": "Bearer whatever", "x-one": first.strip() or "x"}
    found, read = words(as_curl(Call(method, path, headers, body), _BASE))
    assert found[0] == b"-s"
    assert f"{_BASE}{path}".encode() in found
    assert b"authorization: Bearer t0k" in found
    assert f"x-one: {headers['x-one']}".encode() in found
    assert (found[found.index(b"-X") + 1].decode() if b"-X" in found else "GET") == method
    if body is None:
        assert not {b"--data-raw", b"--data-binary"} & set(found)
    else:
        assert body == (found[found.index(b"--data-raw") + 1] if b"--data-raw" in found else read)


def test_what_opens_something_is_masked_and_what_is_long_is_cut() -> None:
    call = Call("POST", "/auth/v1/token")
    masked = shown(call, CallAnswer(200, {"content-type": "application/json"}, b'{"token":"eyJ"}', 3.4), _BASE)
    assert "eyJ" not in masked.answer + masked.raw
    assert (masked.status, masked.took_ms, masked.headers) == (200, 3, (("content-type", "application/json"),))
    plain = shown(call, CallAnswer(200, {}, b'{"a":1.10}', 0.0), _BASE)
    assert (plain.answer, plain.raw) == ('{\n  "a": 1.10\n}', '{"a":1.10}')
    assert len(shown(call, CallAnswer(200, {}, b"x " * 400_000, 0.0), _BASE).raw) <= 100_001
    assert shown(call, CallAnswer(200, {}, b"\xff" * 1000, 0.0), _BASE).answer.endswith("(1000 bytes)")
    assert shown(call, None, _BASE).status is None


@in_one_test("path", ["", "a", "//evil.example/", "@evil.example/", "http://evil.example/"])
async def test_no_path_leads_to_another_server(path: str) -> None:
    with pytest.raises(ValueError, match="no path of this server"):
        await make(Call("GET", path), _BASE)
