-- Outside a transaction: orders are made while this is.
-- Counting the unpaid orders of a key that leaves read every unpaid order of the company.

CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_of_key ON orders (company_id, pix_key) WHERE status = 'INITIAL' AND pix_key IS NOT NULL;
