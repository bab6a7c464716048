-- Which installation of Crate this is: the one row is made once and travels with every backup.
CREATE TABLE "installation" (
    "is_only" BOOLEAN NOT NULL DEFAULT TRUE CHECK ("is_only"),
    "id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("is_only")
);
