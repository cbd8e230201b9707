"""Search over the reference and the guide at /docs/search: a form and a list, made here, without a script."""

from lastro.web.search.form import form
from lastro.web.search.index import Section
from lastro.web.search.serving import Search

__all__ = ["Search", "Section", "form"]
