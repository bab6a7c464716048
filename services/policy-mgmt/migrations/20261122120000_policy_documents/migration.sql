-- What was asked about and is there, or is going to be: judged again when rules change. Sealed, because plans and configurations are
-- sensitive; a row can be opened only under its own key. Losing any of it is harmless: whoever asks next brings it back.
CREATE TABLE policy_documents (
    namespace   text  NOT NULL,
    cluster     text  NOT NULL,
    stage       text  NOT NULL,
    kind        text  NOT NULL,
    name        text  NOT NULL,
    -- Keyed, so that it tells nobody without the key whether two documents are the same.
    digest      bytea NOT NULL,
    key_id      text  NOT NULL,
    wrapped_key bytea NOT NULL,
    iv          bytea NOT NULL,
    tag         bytea NOT NULL,
    ciphertext  bytea NOT NULL,
    -- To the day, so that being asked costs one write a day at most.
    seen_on     date  NOT NULL,
    CONSTRAINT policy_documents_pkey PRIMARY KEY (namespace, cluster, stage, kind, name)
);

-- Finds what nobody asked about any more.
CREATE INDEX policy_documents_seen_on_idx ON policy_documents (seen_on);
