-- Outside a transaction: orders are made while this is.
-- A list of the orders of one method other than PIX: where few or none are of it, the page walked every order there is.

CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_of_other_method ON orders (company_id, payment_method, created_at) WHERE payment_method <> 'PIX';
