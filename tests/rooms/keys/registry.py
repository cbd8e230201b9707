"""A directory of one participant: it keeps what it registers, and does as a test says."""

from dataclasses import dataclass, field
from uuid import UUID, uuid4

from lastro.rails.port import KeyAccount, KeyOwner, Permanent, Transient


@dataclass
class Registry:
    """keys: by key, the account's number. asked: the request ids, as they came. says: raised in place of an answer."""

    keys: dict[str, str] = field(default_factory=dict)
    asked: list[UUID] = field(default_factory=list)
    deleted: list[tuple[str, str]] = field(default_factory=list)
    says: Permanent | Transient | None = None
    is_lost: bool = False
    known: dict[UUID, str] = field(default_factory=dict)

    async def register_key(
        self, *, request_id: UUID, key_type: str, key: str | None, owner: KeyOwner, account: KeyAccount
    ) -> str:
        self.asked.append(request_id)
        if self.says is not None:
            raise self.says
        if request_id not in self.known:
            made = key or str(uuid4())
            if made in self.keys:
                raise Permanent("EntryAlreadyExists", "there")
            self.known[request_id] = made
            self.keys[made] = account.number
        if self.is_lost:
            raise Transient("the answer is lost")
        return self.known[request_id]

    async def delete_key(self, *, key: str, reason: str) -> None:
        self.deleted.append((key, reason))
        if self.says is not None:
            raise self.says
        self.keys.pop(key, None)
