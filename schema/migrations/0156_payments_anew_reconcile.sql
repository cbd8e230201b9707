-- A refund that is a payment of its own (IPRT, REFU) leaves as a payment on the network's statement, so that the law which holds
-- a reconciled day against the ledger has to look for it there.

CREATE OR REPLACE VIEW law_a_reconciled_day_is_in_the_ledger WITH (security_invoker = true) AS
  WITH told AS MATERIALIZED (
    SELECT l.company_id, l.id, l.rail, l.day, l.kind, l.network_id,
           CASE WHEN l.kind IN ('IN', 'RETURN_IN') THEN 1 ELSE -1 END AS sign, l.amount_minor
      FROM statements s
      JOIN statement_lines l ON l.statement_id = s.id AND l.is_current AND l.kind NOT IN ('FEE', 'CHARGEBACK')
     WHERE s.state = 'TAKEN'
       AND NOT EXISTS (SELECT 1 FROM statement_items i WHERE i.state = 'OPEN' AND i.rail = s.rail AND i.day = s.day)
       AND NOT EXISTS (SELECT 1 FROM statement_items i WHERE i.company_id = l.company_id AND i.statement_id = l.statement_id
                          AND i.line_id = l.line_id AND i.state = 'ACCEPTED')),
  ours AS ( -- what of ours a line is: by which object, and at what time where that has more than one, it was booked
    SELECT t.*, p.id AS reference_id, NULL::timestamptz AS booked_at
      FROM told t JOIN pix_payments p ON p.company_id = t.company_id AND p.end_to_end_id = t.network_id AND p.rail = t.rail
     WHERE t.kind = 'IN'
    UNION ALL -- what waited in suspense came in by itself; what paid the order at once came in with it, but for what was too much
    SELECT t.*, p.order_id, NULL
      FROM told t JOIN pix_payments p ON p.company_id = t.company_id AND p.end_to_end_id = t.network_id AND p.rail = t.rail
     WHERE t.kind = 'IN' AND p.state = 'SETTLED'
       AND NOT EXISTS (SELECT 1 FROM history h WHERE h.company_id = p.company_id AND h.reference_id = p.id AND h.version = 1
                          AND h.to_state = 'HELD')
    UNION ALL
    SELECT t.*, r.id, NULL FROM told t
      JOIN refunds r ON r.company_id = t.company_id AND r.return_id = t.network_id AND r.rail = t.rail
     WHERE t.kind = 'RETURN_OUT' OR t.kind = 'OUT' AND r.receiver_id IS NOT NULL -- what is paid anew is a payment
    UNION ALL
    SELECT t.*, o.id, NULL FROM told t
      JOIN payouts o ON o.company_id = t.company_id AND o.end_to_end_id = t.network_id AND o.rail = t.rail
     WHERE t.kind = 'OUT'
    UNION ALL
    SELECT t.*, o.id, NULL FROM told t
      JOIN payouts o ON o.company_id = t.company_id AND o.control_number = t.network_id AND o.rail = t.rail
     WHERE t.kind = 'OUT'
    UNION ALL
    SELECT t.*, r.payout_id, r.created_at FROM told t
      JOIN payout_returns r ON r.company_id = t.company_id AND r.return_id = t.network_id
     WHERE t.kind = 'RETURN_IN'),
  booked AS (
    SELECT o.company_id, o.rail, o.day, -sum(x.change_minor) AS booked_minor FROM ours o
      JOIN ledger_sides x ON x.company_id = o.company_id AND x.reference_id = o.reference_id
       AND (o.booked_at IS NULL OR x.created_at = o.booked_at) AND sign(-x.change_minor) = o.sign
       AND x.type NOT IN ('PIX_RETURN_PAID_OUT', 'TED_RETURN_PAID_OUT') -- which went by another way than the payout
      JOIN ledger_accounts a ON a.company_id = x.company_id AND a.id = x.ledger_account_id AND a.code = 'NET' AND a.rail = o.rail
     GROUP BY o.company_id, o.rail, o.day),
  days AS (SELECT company_id, rail, day, sum(sign * amount_minor) AS told_minor FROM told GROUP BY company_id, rail, day)
  SELECT d.company_id, d.rail, d.day, d.told_minor, coalesce(b.booked_minor, 0) AS booked_minor FROM days d
    LEFT JOIN booked b ON b.company_id = d.company_id AND b.rail = d.rail AND b.day = d.day
   WHERE d.told_minor <> coalesce(b.booked_minor, 0);
