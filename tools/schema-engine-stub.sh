#!/bin/sh
# Stands in for Prisma's schema engine, a binary that Prisma would download at run time. `prisma generate` only asks for its version.
# Everything else must fail: with a stub that says yes, `prisma migrate` would claim success and do nothing.
[ "$1" = "--version" ] && echo "schema-engine-cli 0000000000000000000000000000000000000000" && exit 0
echo "The schema engine is not installed: migrations are applied by Crate itself (libs/database)" >&2
exit 1
