import { apiVersionOf, INFRASTRUCTURE, toTimestamp, type DriftReport, type Infrastructure } from '@crate/api';
import type { SubresourceReader } from '@crate/resource-server';
import { newDriftRecord, type DriftRecord } from './drift-record.js';
import type { DriftRecordRepository } from './drift-record.repository.js';
import { nextCheckAt } from './drift-schedule.js';

/** Hands out what comparisons with the cloud have found. */
export function driftReader(
  records: Pick<DriftRecordRepository, 'find'>,
  now: () => Date = () => new Date(),
): SubresourceReader {
  return async (object) => {
    const infrastructure = object as Infrastructure;
    const record = await records.find(infrastructure.metadata.uid);
    return driftReportOf(infrastructure, record ?? newDriftRecord(now(), undefined));
  };
}

/** The record as people read it. Pure. */
export function driftReportOf({ metadata, spec }: Infrastructure, record: DriftRecord): DriftReport {
  const { name, namespace, uid } = metadata;
  const { checkedAt, answered, resolved, failures, failure, held, drift } = record;
  return {
    apiVersion: apiVersionOf(INFRASTRUCTURE),
    kind: 'DriftReport',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    policy: spec.drift.policy,
    ...(checkedAt === undefined ? {} : { checkedAt: toTimestamp(checkedAt) }),
    nextCheckAt: toTimestamp(nextCheckAt(record, spec.drift, uid)),
    ...(answered === undefined ? {} : { answered }),
    ...(resolved === undefined ? {} : { resolved }),
    failures,
    ...(failure ? { failure } : {}),
    ...(held ? { held } : {}),
    ...(drift ? { drift } : {}),
  };
}
