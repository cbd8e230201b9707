-- How long refund requests of Pix Automático have waited for a decision is counted, and alarms.

GRANT SELECT (reason) ON med_objects TO lastro_work;
