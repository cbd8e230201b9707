"""`lastro backup` and `lastro restore`: a whole server, by PostgreSQL's own programs, and the laws over what came back."""

from .commands import back_up, backup_syntax, restore, restore_syntax
from .record import newest

__all__ = ["back_up", "backup_syntax", "newest", "restore", "restore_syntax"]
