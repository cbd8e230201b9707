-- What goes back by a payment anew stands on a statement as a payment: which refunds are such, the cross-company look may know.

GRANT SELECT (receiver_id) ON refunds TO lastro_work;
