"""The refusal to start, in one sentence for a person."""

import errno
from pathlib import Path

_REASONS = {
    errno.EROFS: "the disk is mounted read-only",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EACCES: "this user has no permission to write there",
    errno.EPERM: "this user has no permission to write there",
    errno.ENOTDIR: "part of the path is a file, not a folder",
    errno.EEXIST: "there is a file of that name where a folder is needed",
    errno.EISDIR: "there is a folder of that name where a file is needed",
    errno.ELOOP: "its symbolic links run in a circle",
    errno.ENAMETOOLONG: "the path is too long for this disk",
}


class StartRefused(Exception):  # noqa: N818 - it is a refusal with a sentence, not an error with a trace
    """The start was refused; the text is one sentence that says why and what to do."""

    @property
    def sentence(self) -> str:
        """The sentence to print, and nothing more."""
        return str(self)


def refused_by_disk(folder: Path, error: OSError) -> StartRefused:
    """Returns the refusal of an operating system's error about `folder`. It names the variable to change."""
    reason = _REASONS.get(error.errno or 0) or f"the system said: {error.strerror or error}"
    return StartRefused(f"Cannot use the folder {folder}: {reason}; put it right or set LASTRO_HOME to another folder.")
