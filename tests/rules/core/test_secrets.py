import base64
import copy
import hashlib
import hmac
import json
import logging
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.core.secrets import (
    KeyFileRefused,
    KeyRing,
    Secret,
    SecretUnreadable,
    hash_machine_secret,
    keyed_fingerprint,
    load_key_ring,
    new_machine_secret,
    same,
)

COMPANY = UUID("01890a5d-ac96-774b-bcce-b302099a8057")
ROW = UUID("01890a5d-ac96-774b-bcce-b302099a8058")
PLACE: dict[str, Any] = {"table": "webhook_secret", "column": "secret", "company_id": COMPANY, "row_id": ROW}
RING = KeyRing.generate("k1", os.urandom)


def test_a_secret_is_only_given_out_by_reveal() -> None:
    secret = Secret("canary")
    shown = [
        repr(secret),
        str(secret),
        f"{secret}",
        f"{secret:>20}",
        " ".join(map(str, [secret])),
        repr([secret]),
        repr({"a": secret}),
    ]
    assert not [text for text in shown if "canary" in text]
    assert secret.reveal() == "canary"


@pytest.mark.parametrize("encode", [msgspec.json.encode, msgspec.msgpack.encode, json.dumps, pickle.dumps, ",".join])
def test_encoders_refuse_a_secret(encode: Callable[[object], object]) -> None:
    with pytest.raises(TypeError) as caught:
        encode([Secret("canary")])
    assert "canary" not in str(caught.value)


def test_a_secret_inside_a_struct_is_refused_too() -> None:
    row = msgspec.defstruct("Row", [("secret", Secret)])
    with pytest.raises(TypeError):
        msgspec.json.encode(row(Secret("canary")))


def test_secrets_compare_with_secrets_alone() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert len({Secret("a"), Secret("a"), Secret("é")}) == 2
    assert not Secret("")
    assert copy.deepcopy([Secret("a")]) == [Secret("a")]


def test_a_secret_stays_out_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        logging.getLogger("test").info("signed in with %s and %r", Secret("canary"), RING)
    assert "canary" not in caplog.text
    assert base64.b64encode(RING.text().reveal().encode()).decode() not in caplog.text


@given(st.binary(max_size=300))
def test_what_is_sealed_opens_in_its_place(plaintext: bytes) -> None:
    assert RING.open(RING.seal(plaintext, **PLACE), **PLACE) == plaintext


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"table": "webhook_secre", "column": "tsecret"},
        {"table": "partner"},
        {"column": "previous"},
        {"company_id": ROW},
        {"company_id": None},
        {"row_id": COMPANY},
        {"company_id": ROW, "row_id": COMPANY},
    ],
)
def test_a_value_moved_to_another_place_does_not_open(elsewhere: dict[str, Any]) -> None:
    value = RING.seal(b"x", **PLACE)
    with pytest.raises(SecretUnreadable):
        RING.open(value, **{**PLACE, **elsewhere})


@given(st.data())
def test_no_changed_value_opens(data: st.DataObject) -> None:
    value = bytearray(RING.seal(b"payload", **PLACE))
    at = data.draw(st.integers(0, len(value) - 1))
    value[at] ^= data.draw(st.integers(1, 255))
    with pytest.raises(SecretUnreadable):
        RING.open(bytes(value), **PLACE)


@given(st.binary(max_size=80))
def test_no_noise_opens(noise: bytes) -> None:
    with pytest.raises(SecretUnreadable):
        RING.open(noise, **PLACE)


def test_no_shortened_value_opens() -> None:
    value = RING.seal(b"payload", **PLACE)
    for length in range(len(value)):
        with pytest.raises(SecretUnreadable):
            RING.open(value[:length], **PLACE)


def test_a_place_must_be_whole() -> None:
    for missing in ({"table": ""}, {"column": ""}, {"row_id": ""}, {"company_id": ""}):
        with pytest.raises(ValueError, match="needs a table"):
            RING.seal(b"x", **{**PLACE, **missing})


def test_nonces_are_fresh_and_the_form_is_as_written() -> None:
    values = {RING.seal(b"x", **PLACE) for _ in range(100)}
    assert len(values) == 100
    assert len({value[3:15] for value in values}) == 100
    assert all(value[:3] == b"\x02k1" and len(value) == 3 + 12 + 1 + 16 for value in values)


def test_rotation_keeps_old_values_readable_and_names_them() -> None:
    old = RING.seal(b"x", **PLACE)
    rotated = RING.with_new_key("k2")
    assert rotated.current == "k2"
    assert rotated.key_ids == ("k1", "k2")
    assert rotated.open(old, **PLACE) == b"x"
    assert rotated.needs_reseal(old)
    new = rotated.seal(b"x", **PLACE)
    assert not rotated.needs_reseal(new)
    with pytest.raises(SecretUnreadable):
        RING.open(new, **PLACE)
    with pytest.raises(ValueError, match="already"):
        rotated.with_new_key("k1")
    with pytest.raises(SecretUnreadable):
        rotated.needs_reseal(b"")


def test_a_ring_reads_what_it_wrote() -> None:
    ring = RING.with_new_key("k2")
    value = ring.seal(b"x", **PLACE)
    again = KeyRing.parse("# keys\n\n" + ring.text().reveal(), os.urandom)
    assert (again.current, again.key_ids) == ("k2", ("k1", "k2"))
    assert again.open(value, **PLACE) == b"x"
    assert "k2" in repr(again)
    assert ring.text().reveal().split()[1] not in repr(again)
    with pytest.raises(TypeError):
        pickle.dumps(again)


GOOD = base64.b64encode(bytes(32)).decode()


@pytest.mark.parametrize(
    "text",
    [
        "", f"k1 {GOOD}", f"k1 {GOOD} current\nk2 {GOOD} current", f"k1 {GOOD} current\nk1 {GOOD}",
        f"k1 {GOOD[:-4]} current", f"k1 {GOOD[:-1]} current", "k1 not*base64 current", f"k1 {GOOD} Current",
        f"k1 {GOOD} current more", "k1", f"{'k' * 65} {GOOD} current", f"ké {GOOD} current",
    ],
)  # fmt: skip
def test_a_ring_that_is_not_one_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - every message but not the key
        KeyRing.parse(text, os.urandom)
    assert GOOD[:8] not in str(caught.value)
    assert "not*base64" not in str(caught.value)


def key_file(folder: Path, mode: int) -> Path:
    path = folder / "keys"
    path.write_text(RING.text().reveal())
    path.chmod(mode)
    return path


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_private_file_is_read(tmp_path: Path, mode: int) -> None:
    assert load_key_ring(key_file(tmp_path, mode), os.urandom).current == "k1"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o660, 0o604, 0o610, 0o777])
def test_a_file_open_to_others_is_refused_in_one_sentence(tmp_path: Path, mode: int) -> None:
    with pytest.raises(KeyFileRefused) as caught:
        load_key_ring(key_file(tmp_path, mode), os.urandom)
    sentence = str(caught.value)
    assert f"{mode:04o}" in sentence
    assert "0600" in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_a_systemd_credential_may_be_readable_for_its_group_alone(tmp_path: Path) -> None:
    assert load_key_ring(key_file(tmp_path, 0o440), os.urandom, credentials_directory=tmp_path).current == "k1"
    for mode in (0o444, 0o460):
        with pytest.raises(KeyFileRefused):
            load_key_ring(key_file(tmp_path, mode), os.urandom, credentials_directory=tmp_path)
    with pytest.raises(KeyFileRefused):
        load_key_ring(key_file(tmp_path, 0o440), os.urandom, credentials_directory=tmp_path / "other")


def test_a_missing_or_unfit_file_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(KeyFileRefused, match=r"cannot be read: No such file or directory\.$"):
        load_key_ring(tmp_path / "none", os.urandom)
    path = key_file(tmp_path, 0o600)
    for content, sentence in ((b"k1 x y", "line 1"), (b"\xff\xfe", "not text"), (b"", "current")):
        path.write_bytes(content)
        with pytest.raises(KeyFileRefused, match=sentence):
            load_key_ring(path, os.urandom)
    with pytest.raises(KeyFileRefused):
        load_key_ring(tmp_path, os.urandom)


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32))
def test_machine_secrets_are_scannable_and_as_different_as_their_bits(one: bytes, other: bytes) -> None:
    first, second = new_machine_secret("lsk_", lambda _: one), new_machine_secret("lsk_", lambda _: other)
    assert first.reveal().startswith("lsk_")
    assert len(first.reveal()) == 47
    assert first.reveal()[4:].isalnum()
    assert (first == second) == (one == other)


def test_a_machine_secret_takes_32_random_bytes() -> None:
    asked: list[int] = []

    def random(count: int) -> bytes:
        asked.append(count)
        return bytes(count)

    new_machine_secret("lsk_", random)
    assert asked == [32]


def test_hashes_are_the_published_functions() -> None:
    assert hash_machine_secret(Secret("abc")) == hash_machine_secret("abc") == hashlib.sha256(b"abc").digest()
    assert len(hash_machine_secret("\ud800")) == 32
    # RFC 4231, test case 2
    assert keyed_fingerprint(b"Jefe", b"what do ya want for nothing?").hex() == (
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )
    assert keyed_fingerprint(b"k", b"d") == hmac.new(b"k", b"d", "sha256").digest()


def test_same() -> None:
    assert same(b"a", b"a")
    assert not same(b"a", b"b")
    assert not same(b"a", b"aa")
