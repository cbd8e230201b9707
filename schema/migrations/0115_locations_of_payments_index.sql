-- Outside a transaction: payments come while this is made.

CREATE INDEX CONCURRENTLY IF NOT EXISTS pix_payments_of_location ON pix_payments (company_id, location_token)
 WHERE order_id IS NULL AND location_token IS NOT NULL;
