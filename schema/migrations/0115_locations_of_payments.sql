-- A payment whose payer's bank forgot the txid is part of its order's story, also where it was refused.

ALTER TABLE pix_payments ADD COLUMN location_token text;
