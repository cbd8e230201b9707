"""Pix Automático at the bank that speaks API Pix: recurrences, their locations, and the charges of their cycles.

Made of the official document alone, as its first half. The payer's side is played by the simulated payer's bank.
"""
