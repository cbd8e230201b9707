-- A key of Pix locations may have a certificate of an authority; the set that is published shows the chain up to it.

ALTER TABLE signing_keys ADD COLUMN chain bytea[] NOT NULL DEFAULT '{}'; -- DER of what stands above the certificate, each above the one before
