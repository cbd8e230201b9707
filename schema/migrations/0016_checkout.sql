-- Hosted pages of orders: the token that leads to one. Orders that are there already have none.

ALTER TABLE orders ADD COLUMN order_token text;
ALTER TABLE orders ADD CONSTRAINT orders_pages_are_of_creates CHECK (order_token IS NULL OR origin = 'TRANSPARENT');
CREATE UNIQUE INDEX orders_token_key ON orders (company_id, order_token) WHERE order_token IS NOT NULL;

CREATE OR REPLACE VIEW law_ids_name_their_company WITH (security_invoker = true) AS
  WITH named AS MATERIALIZED (SELECT company_id, base62(number, 5) AS digits FROM companies)
  SELECT n.company_id, 'clients' AS place, c.client_id AS name FROM named n
    JOIN clients c ON c.company_id = n.company_id AND c.client_id NOT LIKE 'outside:%' AND substr(c.client_id, 4, 5) <> n.digits
  UNION ALL
  SELECT n.company_id, 'orders', o.id::text FROM named n
    JOIN orders o ON o.company_id = n.company_id
     AND (substr(o.txid, 1, 5) <> n.digits OR substr(o.location_token, 1, 5) <> n.digits
          OR substr(o.order_token, 1, 5) <> n.digits)
  UNION ALL
  SELECT n.company_id, 'pix_static_qrcodes', q.id::text FROM named n
    JOIN pix_static_qrcodes q ON q.company_id = n.company_id AND substr(q.txid, 1, 5) <> n.digits
  UNION ALL
  SELECT n.company_id, 'refunds', r.id::text FROM named n
    JOIN refunds r ON r.company_id = n.company_id AND substr(r.return_id, 22, 5) <> n.digits
  UNION ALL
  SELECT n.company_id, 'payouts', p.id::text FROM named n
    JOIN payouts p ON p.company_id = n.company_id
     AND (substr(p.end_to_end_id, 22, 5) <> n.digits OR substr(p.control_number, 2, 5) <> n.digits)
  UNION ALL
  SELECT n.company_id, 'subscriptions', s.id::text FROM named n
    JOIN subscriptions s ON s.company_id = n.company_id
     AND (substr(s.provider_id, 19, 5) <> n.digits OR substr(s.location_token, 1, 5) <> n.digits);
COMMENT ON VIEW law_ids_name_their_company IS
  'Our client ids, txids, locations, order tokens, endToEndIds, idRecs, TED control numbers and return ids carry the number of their company.';
