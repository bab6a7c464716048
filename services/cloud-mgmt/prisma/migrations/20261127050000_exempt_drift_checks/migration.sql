-- Those that replicas of the release before save keep what they had; the next pass of one of this release says it anew.
ALTER TABLE "drift_checks" ADD COLUMN "is_exempt" BOOLEAN NOT NULL DEFAULT false;
