-- The time to the nearest deadline of what nobody has decided is counted, and alarms.

GRANT SELECT (deadline) ON med_objects TO lastro_work;
