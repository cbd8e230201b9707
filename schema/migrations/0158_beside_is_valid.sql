-- The constraint of 0157, checked beside traffic.

ALTER TABLE refunds VALIDATE CONSTRAINT refunds_beside;
