"""The adapter of the partner who looks at requests for accounts."""

from lastro.rails.analysis.client import Analysis

__all__ = ["Analysis"]
