"""Disputes (MED 2.0): recoveries, infraction reports, refunds, and the other banks."""
