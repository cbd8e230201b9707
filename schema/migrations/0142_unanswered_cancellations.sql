-- How long payers' banks leave cancellations unanswered is counted, and alarms.

GRANT SELECT (created_at) ON subscription_cancellations TO lastro_work;
