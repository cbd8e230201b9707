-- What is forgotten is looked for company by company.
DROP INDEX answers_to_forget;
CREATE INDEX answers_to_forget ON answers (company_id, keep, created_at) WHERE body IS NOT NULL AND keep <> 'forever';
