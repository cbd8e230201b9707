"""Reads the objects of an order's timeline, and a timeline's first object."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Session

# A payment that named an order's charge and could not pay it belongs to no order, and is shown with that one all the same.
_RELATED = """
WITH paid AS (
  SELECT id, end_to_end_id, txid FROM pix_payments WHERE company_id = $1 AND order_id = $2
  UNION
  (SELECT p.id, p.end_to_end_id, p.txid FROM orders o JOIN pix_payments p ON p.company_id = o.company_id AND p.txid = o.txid
    WHERE o.company_id = $1 AND o.id = $2 AND p.order_id IS NULL ORDER BY p.id LIMIT 100)
  UNION
  (SELECT p.id, p.end_to_end_id, p.txid FROM orders o
     JOIN pix_payments p ON p.company_id = o.company_id AND p.location_token = o.location_token
    WHERE o.company_id = $1 AND o.id = $2 AND p.order_id IS NULL AND p.location_token IS NOT NULL ORDER BY p.id LIMIT 100)
  UNION
  SELECT id, end_to_end_id, txid FROM pix_payments WHERE company_id = $1 AND id = $3)
SELECT 'order' AS kind, id, NULL AS network_id, NULL AS txid FROM orders WHERE company_id = $1 AND id = $2
UNION ALL SELECT 'payment', id, end_to_end_id, txid FROM paid
UNION ALL SELECT 'refund', r.id, r.return_id, NULL FROM paid p JOIN refunds r ON r.company_id = $1 AND r.payment_id = p.id
UNION ALL
SELECT 'cardPayment', id, split_part(charge_id, ':', 2), NULL FROM card_payments WHERE company_id = $1 AND order_id = $2
"""
_ROOT = """
WITH paid AS (
  SELECT id, order_id, txid, location_token FROM pix_payments WHERE company_id = $1 AND id = $2
  UNION ALL SELECT id, order_id, txid, location_token FROM pix_payments WHERE company_id = $1 AND end_to_end_id = $3
  UNION ALL SELECT p.id, p.order_id, p.txid, p.location_token FROM refunds r
    JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id WHERE r.company_id = $1 AND r.id = $2
  UNION ALL SELECT p.id, p.order_id, p.txid, p.location_token FROM refunds r
    JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id WHERE r.company_id = $1 AND r.return_id = $3)
SELECT 1 AS place, id AS order_id, NULL::uuid AS payment_id FROM orders WHERE company_id = $1 AND id = $2
UNION ALL SELECT 2, id, NULL FROM orders WHERE company_id = $1 AND txid = $3
UNION ALL
SELECT 3, coalesce(order_id, (SELECT o.id FROM orders o WHERE o.company_id = $1 AND o.txid = paid.txid),
                   (SELECT o.id FROM orders o WHERE o.company_id = $1 AND o.location_token = paid.location_token)),
       id FROM paid
UNION ALL (SELECT 4, id, NULL FROM orders WHERE company_id = $1 AND external_id = $3 ORDER BY created_at DESC LIMIT 1)
 ORDER BY place LIMIT 1
"""


async def related(session: Session, company_id: UUID, order_id: UUID | None, payment_id: UUID | None) -> list[Record]:
    """Reads an order with its payments and refunds.

    Payments include those in its name that could not pay it; a payment without an order stands for itself. Columns: kind
    (order, payment, refund, cardPayment), id, network_id (None of an order), txid (that a payment carried). No row where
    neither exists.
    """
    return await session.fetch(_RELATED, company_id, order_id, payment_id)


async def root_of(session: Session, company_id: UUID, reference_id: UUID | None, name: str | None) -> Record | None:
    """Finds the order of an object, else the payment without an order. Columns order_id, payment_id.

    reference_id: the object's id, an order, payment or refund. name: in place of it, its endToEndId, return id or txid, or
    the externalId of an order, whose newest it is.
    """
    return await session.row(_ROOT, company_id, reference_id, name)
