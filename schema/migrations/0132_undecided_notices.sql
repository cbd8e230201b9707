-- How long notices of disputes have waited for a verdict is counted, and alarms.

GRANT SELECT (created_at) ON med_objects TO lastro_work;
