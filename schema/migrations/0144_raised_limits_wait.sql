-- A person's higher limit holds some time after it was asked for; a lower one at once.

ALTER TABLE account_limits ADD COLUMN raised_day_minor bigint;
ALTER TABLE account_limits ADD COLUMN raised_day_at timestamptz;
ALTER TABLE account_limits ADD COLUMN raised_night_minor bigint;
ALTER TABLE account_limits ADD COLUMN raised_night_at timestamptz;
