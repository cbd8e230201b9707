"""The due work of disputes: a notice is decided or released, a request answered."""

from __future__ import annotations

from lastro.core.due_work import DueWork

DUE_WORK = (DueWork("disputes", "med_objects", "due_at", "med_objects_due", gauge="disputes"),)
