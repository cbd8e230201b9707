-- Of a refund request the transaction with which its case began is kept where it was told alone. The directory's refund does
-- not tell it (DICT 2.12.1, ExtendedRefund); the request's own was kept in its place, as though it were the first layer's.
UPDATE med_objects SET root_id = NULL WHERE object_type = 'REFUND_REQUEST' AND root_id = end_to_end_id;
