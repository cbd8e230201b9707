"""The API text of the banks' operation."""

from __future__ import annotations

from lastro.api_kit.routes import Doc
from lastro.banks import problems
from lastro.banks.rendering import BanksListed
from lastro.core.errors import misread

LIST = Doc(
    "List banks",
    "The institutions that can be paid by branch and account, as the Central Bank's lists of the STR's and of Pix's"
    " participants have them; all of them in one answer, by ISPB. Many that take part in Pix have no `bankNumber`: name them"
    " by `ispb`.\n\n"
    "Filters are combined. `name` finds a part of either name, however its accents and capitals are written: `itau` finds"
    " `ITAÚ UNIBANCO S.A.`",
    None, BanksListed,
    (
        problems.ISPB_INVALID, problems.BANK_NUMBER_INVALID, problems.NAME_INVALID,
        misread("name", "TOO_LONG", "It has more than 140 characters.", "Give a part of a bank's name."),
        misread("method", "INVALID", "It is neither PIX nor TED.", "Give one of the two, or leave it out."),
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
