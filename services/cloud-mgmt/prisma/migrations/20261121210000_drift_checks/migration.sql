-- When each Infrastructure was last compared with the cloud, and what was found. Not in its status: a comparison that finds what the last
-- one found makes no revision.
CREATE TABLE "drift_checks" (
    "infrastructure_uid" TEXT NOT NULL,
    "epoch" BIGINT NOT NULL,
    "noted_at" TIMESTAMPTZ(3) NOT NULL,
    "checked_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL,
    "is_drifted" BOOLEAN NOT NULL,
    "detail" JSONB NOT NULL,

    CONSTRAINT "drift_checks_pkey" PRIMARY KEY ("infrastructure_uid")
);
