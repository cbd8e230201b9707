"""Disputes (MED 2.0): the directory's recoveries, infraction reports and refunds, and the banks on the other side."""
