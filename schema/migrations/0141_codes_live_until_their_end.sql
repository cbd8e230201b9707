-- A code without a first charge can be authorized until its endDate is over; without one, for as long as it waits.

ALTER TABLE subscriptions ALTER COLUMN lapses_at DROP NOT NULL;
