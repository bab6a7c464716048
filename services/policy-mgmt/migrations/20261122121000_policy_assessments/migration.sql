-- How each cluster stood when it was last judged, by rule, and by which rules and documents: what has not changed is not judged again
-- before its time. No messages and no values: those are in the reports.
CREATE TABLE policy_assessments (
    namespace        text        NOT NULL,
    cluster          text        NOT NULL,
    rules_digest     text        NOT NULL,
    documents_digest text        NOT NULL,
    assessed_at      timestamptz NOT NULL,
    documents        integer     NOT NULL,
    rules            jsonb       NOT NULL,
    summary          jsonb       NOT NULL,
    -- By level and effect, such as must/deny.
    violations       jsonb       NOT NULL,
    CONSTRAINT policy_assessments_pkey PRIMARY KEY (namespace, cluster)
);

-- The numbers of each day, and after each change. The cluster is empty for the Project as a whole.
CREATE TABLE policy_history (
    namespace text        NOT NULL,
    cluster   text        NOT NULL,
    at        timestamptz NOT NULL,
    counts    jsonb       NOT NULL,
    CONSTRAINT policy_history_pkey PRIMARY KEY (namespace, cluster, at)
);

CREATE INDEX policy_history_at_idx ON policy_history (at);
