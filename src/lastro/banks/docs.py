"""The API text of the banks' operation."""

from __future__ import annotations

from lastro.api_kit.routes import Doc
from lastro.banks.rendering import BanksListed
from lastro.core.errors import Kind, Refusal

LIST = Doc(
    "List banks",
    "The institutions that can be paid by branch and account, as the Central Bank's lists of the STR's and of Pix's"
    " participants have them; all of them in one answer, by ISPB. Many that take part in Pix have no `bankNumber`: name them"
    " by `ispb`.\n\n"
    "Filters are combined. `name` finds a part of either name, however its accents and capitals are written: `itau` finds"
    " `ITAÚ UNIBANCO S.A.`",
    None, BanksListed,
    (
        Refusal(Kind.INVALID, "ispb", "INVALID", "It is not eight digits or capital letters.",
                "Give all eight, zeros in front included."),
        Refusal(Kind.INVALID, "bankNumber", "INVALID", "It is not three digits, or `000`, which no bank has.",
                "Give all three, zeros in front included: `001`."),
        Refusal(Kind.INVALID, "name", "INVALID", "It is empty, has control characters, or is nothing but accents.",
                "Give a part of a bank's name."),
        Refusal(Kind.INVALID, "name", "TOO_LONG", "It has more than 140 characters.", "Give a part of a bank's name."),
        Refusal(Kind.INVALID, "method", "INVALID", "It is neither PIX nor TED.", "Give one of the two, or leave it out."),
    ),
    None,
    {
        "data": [
            {
                "ispb": "00000000", "bankNumber": "001", "shortName": "BCO DO BRASIL S.A.", "name": "Banco do Brasil S.A.",
                "methods": ["PIX", "TED"],
            },
            {
                "ispb": "00068987", "shortName": "CC ARACREDI LTDA.", "name": "CC ARACREDI LTDA.", "methods": ["PIX"],
            },
        ]
    },
)  # fmt: skip
