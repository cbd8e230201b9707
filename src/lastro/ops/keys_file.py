"""The keys file: read, and written anew, whole or not at all, for its owner alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lastro.core.declined import CommandFailed, StartRefused
from lastro.core.secrets import KeyFileRefused, load_key_ring

if TYPE_CHECKING:
    from pathlib import Path

    from lastro.config.settings import Settings
    from lastro.core.secrets import KeyRing


def key_ring_of(settings: Settings) -> KeyRing:
    """Returns the keys that reversible secrets are sealed with. StartRefused, in one sentence: the file cannot be used."""
    try:
        return load_key_ring(settings.keys_file, os.urandom, credentials_directory=settings.credentials_directory)
    except KeyFileRefused as refused:
        raise StartRefused(str(refused)) from refused


def rewrite(path: Path, ring: KeyRing) -> None:
    """Replaces the key ring in the file, keeping its owner. CommandFailed: the file is as it was."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        owner = path.stat()
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            if (owner.st_uid, owner.st_gid) != (os.geteuid(), os.getegid()):
                os.fchown(stream.fileno(), owner.st_uid, owner.st_gid)
            stream.write(ring.text().reveal())
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(path)
        # The name is on the disk, too, before anything is sealed with what is in it.
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise CommandFailed(
            f"The keys file {path} cannot be written ({error.strerror}): change it by hand, where it comes from."
        ) from error
