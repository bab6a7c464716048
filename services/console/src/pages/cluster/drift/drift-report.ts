import type { DriftReport } from '@crate/api';
import { apiJson } from '../../../api/http.js';
import { KINDS, objectPath } from '../../../api/paths.js';
import { annotate } from '../cluster-writes.js';
import type { ClusterKey } from '../use-cluster-key.js';

/** Annotation that asks for a comparison. */
export const CHECK = 'lifecycle.crate.dev/check-drift';
/** Annotation that says what is to become of drift. */
export const RESOLVE = 'lifecycle.crate.dev/resolve-drift';

type Annotations = Readonly<Record<string, string>> | undefined;

/** What comparisons with the cloud have found. Throws ApiError. */
export function readDrift({ project, name }: ClusterKey, signal?: AbortSignal): Promise<DriftReport> {
  return apiJson<DriftReport>(objectPath(KINDS.cluster, name, project, 'drift'), { signal });
}

/** Asks for a comparison now. Throws ApiError. */
export function askForCheck(key: ClusterKey): Promise<unknown> {
  return annotate(key, { [CHECK]: new Date().toISOString() });
}

/** Says what is to become of the drift that was looked at; refused when it is another one by now. Throws ApiError. */
export function decide(key: ClusterKey, action: 'correct' | 'keep', digest: string): Promise<unknown> {
  return annotate(key, { [RESOLVE]: `${action}-${digest}` });
}

/** True from when a comparison was asked for until it was made. Pure. */
export function isChecking(report: DriftReport, annotations: Annotations): boolean {
  const asked = annotations?.[CHECK];
  return asked !== undefined && asked !== report.answered;
}

/** The decision about this drift that is being carried out; undefined when there is none. Pure. */
export function decisionUnderWay(report: DriftReport, annotations: Annotations): 'correct' | 'keep' | undefined {
  const stated = annotations?.[RESOLVE];
  if (stated === undefined || stated === report.resolved || !report.drift) return undefined;
  const [action, digest] = stated.split('-');
  if (digest !== report.drift.digest) return undefined;
  return action === 'correct' ? 'correct' : 'keep';
}
