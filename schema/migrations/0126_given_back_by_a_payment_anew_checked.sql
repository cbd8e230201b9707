-- The constraints of 0125, checked beside traffic.

ALTER TABLE refunds VALIDATE CONSTRAINT refunds_company_id_receiver_id_fkey;
ALTER TABLE refunds VALIDATE CONSTRAINT refunds_anew;
ALTER TABLE med_objects VALIDATE CONSTRAINT med_objects_company_id_receiver_id_fkey;
