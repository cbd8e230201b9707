-- A subscription that was refused at once keeps what its create said of a first charge whose order was not made.

ALTER TABLE subscriptions
  ADD COLUMN refused_minor bigint,
  ADD COLUMN refused_expires_at timestamptz,
  ADD COLUMN refused_txid text,
  ADD COLUMN refused_location_token text,
  ADD CONSTRAINT subscriptions_refused_charge CHECK (
    refused_minor IS NULL OR status = 'ERROR' AND order_id IS NULL AND refused_minor > 0
      AND num_nulls(refused_expires_at, refused_txid, refused_location_token) = 0) NOT VALID;
