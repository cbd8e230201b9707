-- What a bank pays a victim of fraud, or of a charge that was at fault, anew is no sale: no fee is taken of it.

ALTER TABLE pix_payments ADD COLUMN purpose text; -- IPRT, REFU: of one by which a bank gives back; NULL: of any other
