-- Counts what stands under each encryption key, and finds what stands under an older one.
CREATE INDEX policy_documents_key_id_idx ON policy_documents (key_id);
