"""The certificate of a receiver: the duties of docs/guides/webhooks.md, played and judged as deliveries are."""

from lastro_tools.certify.command import certify, syntax

__all__ = ["certify", "syntax"]
