"""The verbs of disputes."""
