import type { CertificateReport, DatabaseReport, LeaseReport, ReplicaReport, RunReport } from '@crate/api';
import { isPlatformError } from '@crate/errors';
import type { OpenRecovery } from '../recovery/recovery-state.js';
import { oneAtATime, within } from './one-at-a-time.js';
import type { WorkReport } from './work-status.js';

/** What is looked at, each apart from the others. */
export interface StatusLooks {
  readonly replicas: readonly ReplicaReport[];
  readonly queue: WorkReport;
  readonly database: DatabaseReport;
  readonly recovery: OpenRecovery | undefined;
  readonly leases: readonly LeaseReport[];
  readonly runs: readonly RunReport[];
  readonly certificates: readonly CertificateReport[];
}

type Part = keyof StatusLooks;

/** What was found, and what was not. */
export type Found = Partial<StatusLooks> & {
  readonly missing: { readonly part: string; readonly message: string }[];
};

/** All looks at once, each with its time; never throws. A look that goes on when it is wanted again is waited for again. */
export function statusLooks(
  looks: { readonly [P in Part]: () => Promise<StatusLooks[P]> },
  partMs: number,
): () => Promise<Found> {
  const once = Object.entries(looks).map(([part, look]) => [part, oneAtATime<unknown>(look)] as const);
  return async () => {
    const missing: { part: string; message: string }[] = [];
    const values = once.map(async ([part, look]) => {
      try {
        return [part, await within(partMs, look())] as const;
      } catch (error) {
        missing.push({ part, message: wordsOf(error) });
        return undefined;
      }
    });
    const found = (await Promise.all(values)).filter((each) => each !== undefined);
    return { ...(Object.fromEntries(found) as Partial<StatusLooks>), missing };
  };
}

/** What came from elsewhere may hold anything. */
function wordsOf(error: unknown): string {
  if (isPlatformError(error)) return error.message;
  return error instanceof Error && error.message.startsWith('No answer within') ? error.message : 'It failed';
}
