-- The audit says of an act what was decided, about how much, and of which object: no person's words are in it.

ALTER TABLE console_acts ADD COLUMN IF NOT EXISTS detail jsonb;
