-- Each try to collect says when the last window of its day is over: until then a failure of its bank ends nothing.

ALTER TABLE payment_attempts ADD COLUMN closes_at timestamptz;
