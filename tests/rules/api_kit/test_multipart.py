"""Multipart forms: what their parts are, and what is none."""

import pytest
from tests.in_one import in_one_test

from lastro.api_kit.multipart import LONGEST_BOUNDARY, MOST_PARTS, NotAForm, boundary_of, compared, read_parts

B = "xYz"


def part(name: str, content: bytes = b"v", more: str = "") -> bytes:
    return f'--{B}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + content + b"\r\n"


END = f"--{B}--\r\n".encode()
FORM = part("file", b"\x00\r\nbytes\r\n", '; filename="../../etc/passwd"') + part("documentType", b"selfieHolder") + END


def test_parts_are_whole_and_a_file_has_no_name() -> None:
    read = read_parts(FORM, B)
    assert {name: (one.content, one.is_file) for name, one in read.items()} == {
        "file": (b"\x00\r\nbytes\r\n", True), "documentType": (b"selfieHolder", False),
    }  # fmt: skip


@in_one_test("cut", [*range(1, len(FORM) - 3, 7), len(FORM) - 5])
def test_what_is_cut_off_is_no_form(cut: int) -> None:
    with pytest.raises(NotAForm):
        read_parts(FORM[:cut], B)


@in_one_test(
    "raw",
    [
        b"", b"{}", b"PK\x03\x04" + FORM, part("a") + part("a") + END, FORM.replace(B.encode(), b"other"),
        b"".join(part(f"p{n}") for n in range(MOST_PARTS + 1)) + END,
        f"--{B}\r\nX: y\r\n\r\nv\r\n".encode() + END,  # a part without a name
        f'--{B}\r\nContent-Disposition: form-data; name="a"\r\n{"X: y" * 2000}\r\n\r\nv\r\n'.encode() + END,
    ],
    ids=["empty", "json", "preamble", "twice", "other boundary", "too many", "no name", "long head"],
)  # fmt: skip
def test_what_is_no_form(raw: bytes) -> None:
    with pytest.raises(NotAForm):
        read_parts(raw, B)


@in_one_test(
    ("header", "boundary"),
    [
        ("multipart/form-data; boundary=abc", "abc"), ('multipart/form-data; boundary="a b"', "a b"),
        ("multipart/form-data; charset=utf-8; boundary=abc", "abc"), ("multipart/form-data", None),
        ("multipart/form-data; boundary=", None), ("multipart/form-data; boundary=a\x00b", None),
        (f"multipart/form-data; boundary={'a' * LONGEST_BOUNDARY}", "a" * LONGEST_BOUNDARY),
        (f"multipart/form-data; boundary={'a' * (LONGEST_BOUNDARY + 1)}", None),
        (f"multipart/form-data; boundary=abc; a={'x' * 213}", "abc"), (f"multipart/form-data; boundary=abc; a={'x' * 300}", None),
        ('multipart/form-data; a="' + ";" * 1_000_000, None),
    ],
)  # fmt: skip
def test_the_boundary_is_what_the_header_says(header: str, boundary: str | None) -> None:
    assert boundary_of(header) == boundary


def test_without_a_boundary_there_is_no_form() -> None:
    with pytest.raises(NotAForm):
        read_parts(FORM, None)


def test_the_same_parts_are_the_same_whatever_divides_them() -> None:
    other = FORM.replace(b"--xYz", b"--another")
    assert compared(FORM, B) == compared(other, "another")
    assert compared(FORM, B) != compared(FORM.replace(b"selfie", b"Selfie"), B)
