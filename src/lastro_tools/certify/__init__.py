"""The certificate of a receiver: the checks of docs/guides/webhooks.md, run and judged as deliveries are."""

from lastro_tools.certify.command import certify, syntax

__all__ = ["certify", "syntax"]
