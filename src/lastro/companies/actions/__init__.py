"""The verbs of companies, one file for each thing they change."""
