"""Banks: who can be paid, by ISPB and COMPE number, as the Central Bank's lists have it."""

from lastro.banks.actions import CutShort, import_list
from lastro.banks.api import routes
from lastro.banks.known import Banks
from lastro.banks.store import NEWER

__all__ = ["NEWER", "Banks", "CutShort", "import_list", "routes"]
