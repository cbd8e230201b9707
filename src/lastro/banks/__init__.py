"""Banks: who can be paid, by ISPB and COMPE number, as the Central Bank's lists have it."""

from lastro.banks.actions import CutShort, import_list
from lastro.banks.api import routes
from lastro.banks.known import Banks

__all__ = ["Banks", "CutShort", "import_list", "routes"]
