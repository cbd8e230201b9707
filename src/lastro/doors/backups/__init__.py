"""`lastro backup` and `lastro restore`: a whole server, by PostgreSQL's own programs, and the laws over what came back."""

from .commands import back_up, restore

__all__ = ["back_up", "restore"]
