"""The cookie of the console, and the word that its forms carry."""

import pytest

from lastro.console.session import Cookie, csrf_of, is_of
from lastro.core.secrets import Secret

SECURE, PLAIN = Cookie(is_secure=True), Cookie(is_secure=False)


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (b"__Host-lastro_console=abc", "abc"),
        (b"a=b; __Host-lastro_console=abc ;c=d", "abc"),
        (b"lastro_console=abc", None),
        (b"__Host-lastro_console=a; __Host-lastro_console=b", None),
        (b"__Host-lastro_console=", None),
        (b"__Host-lastro_console=" + b"a" * 101, None),
        (b"", None),
    ],
)
def test_one_cookie_of_this_name_counts(sent: bytes, read: str | None) -> None:
    assert SECURE.read({b"cookie": sent}) == read


def test_it_is_set_and_taken_away_the_same_way() -> None:
    assert SECURE.set(Secret("abc"))[1] == b"__Host-lastro_console=abc; Path=/; HttpOnly; SameSite=Lax; Secure"
    assert PLAIN.set(Secret("abc"))[1] == b"lastro_console=abc; Path=/; HttpOnly; SameSite=Lax"
    assert SECURE.forget()[1] == b"__Host-lastro_console=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure"


def test_a_forms_word_is_of_one_session_and_does_not_tell_its_cookie() -> None:
    assert is_of("abc", csrf_of("abc"))
    assert not is_of("abd", csrf_of("abc"))
    assert not is_of("abc", "")
    assert not is_of("abc", "\ud800")
    assert "abc" not in csrf_of("abc")
