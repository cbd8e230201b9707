-- Keys are proved, not named: a value that only the bytes behind a key's id open. And whose books these are.

CREATE TABLE sealing_keys (
  key_id text PRIMARY KEY,
  proof bytea NOT NULL,
  created_at timestamptz NOT NULL
);
GRANT SELECT ON sealing_keys TO lastro_app, lastro_audit;
GRANT INSERT ON sealing_keys TO lastro_app;

ALTER TABLE clock ADD COLUMN ispb text CHECK (ispb ~ '^[0-9A-Z]{8}$');
