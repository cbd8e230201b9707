"""Spreads a database over several servers by company, with Citus (docs/decisions/distribution.md)."""

from lastro.ops.distribute.command import perform, syntax
from lastro.ops.distribute.spreading import EVERYWHERE, SEQUENCES, SHARDS, script, set_up_servers, spread

__all__ = ["EVERYWHERE", "SEQUENCES", "SHARDS", "perform", "script", "set_up_servers", "spread", "syntax"]
