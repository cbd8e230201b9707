from tests.in_one import in_one_test

from lastro.api_kit.language import preferred

OFFERED = ("pt", "es", "en")


@in_one_test(
    ("accepted", "language"),
    [
        # Nothing is wanted, or nothing that we have.
        ("", "pt"), (",", "pt"), ("fr", "pt"), ("fr-CA, de;q=0.7", "pt"), ("portuguese", "pt"),
        # What browsers send.
        ("pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7", "pt"), ("en-US,en;q=0.9,pt-BR;q=0.8", "en"), ("es-MX,es;q=0.8,en;q=0.6", "es"),
        ("fr-FR, en;q=0.4, es;q=0.5", "es"), ("ES", "es"), ("es-419", "es"), (" en ; q=0.9 , es;q=0.8", "en"),
        # Of equals the first named.
        ("en, es", "en"), ("es, en", "es"), ("en;q=0.5, es;q=0.5", "en"), ("es;q=0.1, es;q=0.9, en;q=0.5", "es"),
        # Zero is a no; what is no weight counts as one.
        ("en;q=0", "pt"), ("en;q=0, es;q=0.001", "es"), ("en;q=x, es;q=0.1", "es"), ("en;q=nan, es;q=0.1", "es"),
        ("en;q=2, es;q=0.1", "es"), ("en;q=-1, es;q=0.1", "es"), ("en;q=0.1234, es;q=0.1", "es"), ("en;q=1.000, es", "en"),
        # The star is everything that is not named.
        ("*", "pt"), ("fr, *;q=0.1", "pt"), ("pt;q=0, *", "es"), ("pt;q=0.1, *;q=0.5", "es"), ("en, *;q=0.5", "en"),
        # A header is the reader's to fill.
        ("fr," * 1000 + "en", "pt"), (";;;;=,q=,-,\x00", "pt"),
    ],
)  # fmt: skip
def test_the_reader_chooses(accepted: str, language: str) -> None:
    assert preferred(accepted, OFFERED) == language


def test_what_is_offered_first_is_sent_to_who_wants_nothing() -> None:
    assert [preferred("", OFFERED[n:]) for n in range(3)] == ["pt", "es", "en"]
