import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import { FileKeyStore, inboxPrefix, ServiceRegistry, ServiceTokenIssuer } from '@crate/auth';
import { connectNats, NatsPolicyReviewer, NatsServiceCaller, PayloadSealer } from '@crate/messaging';
import { InMemoryLogger, newTraceId } from '@crate/telemetry';
import { runFullLoad } from '../load/full-load.js';
import type { LoadResult, Send } from '../load/load-result.js';
import { runOpenLoad } from '../load/open-load.js';
import { serveJobs } from '../processes/worker.js';
import { BROKEN_REVIEW } from './ordinary-clusters.js';

/** The service whose place this process takes: lifecycle asks about every change of a cluster. */
const SERVICE = 'lifecycle';

export interface ReviewsSetup {
  /** Data directory of the platform: its keys and passwords are what makes a caller. */
  readonly directory: string;
  readonly requests: readonly PolicyReviewRequest[];
}

export interface ReviewsLoad {
  readonly seconds: number;
  /** Reviews a second; absent: as many as are answered. */
  readonly rate?: number;
  /** Reviews under way at any time, without a rate. */
  readonly inFlight: number;
}

export type ReviewsJob = { readonly setup: ReviewsSetup } | { readonly load: ReviewsLoad };

/** Asks policy-mgmt as lifecycle does, with its token and its connection. Rejects when a cluster that breaks no rule is denied. */
async function sender({ directory, requests }: ReviewsSetup): Promise<Send> {
  const own = join(directory, 'services', SERVICE);
  const { natsPort } = JSON.parse(await readFile(join(directory, 'settings.json'), 'utf8')) as { natsPort: number };
  const password = (await readFile(join(own, 'nats-password'), 'utf8')).trim();
  const identity = { user: SERVICE, password, name: 'bench', inboxPrefix: inboxPrefix(SERVICE) };
  const logger = new InMemoryLogger();
  const connection = await connectNats({ url: `nats://127.0.0.1:${natsPort}`, ...identity, logger });
  const keys = new FileKeyStore({ privateDir: join(own, 'keys'), trustDir: join(directory, 'trust') }, SERVICE);
  const tokens = new ServiceTokenIssuer({ service: SERVICE, keys, registry: new ServiceRegistry() });
  const calls = new NatsServiceCaller(connection, tokens, new PayloadSealer(SERVICE, keys));
  const policies = new NatsPolicyReviewer(SERVICE, calls);
  const caller = { user: 'ada', groups: ['team-a'] };
  const review = (request: PolicyReviewRequest): Promise<PolicyReviewResponse> =>
    policies.review(request, { traceId: newTraceId(), caller });
  // Where nothing is judged, nothing is measured.
  if ((await review(BROKEN_REVIEW)).allowed) throw new Error('A cluster that breaks a rule was not denied');
  return async (index) => {
    const { allowed, violations } = await review(requests[index % requests.length] as PolicyReviewRequest);
    if (!allowed) throw new Error(`A cluster was denied: ${violations.map(({ policy }) => policy).join(', ')}`);
  };
}

let send: Send | undefined;

serveJobs(async (job: ReviewsJob): Promise<LoadResult | undefined> => {
  if ('setup' in job) {
    send = await sender(job.setup);
    return undefined;
  }
  if (!send) throw new Error('Not set up yet');
  const { seconds, rate, inFlight } = job.load;
  if (rate !== undefined) return runOpenLoad({ rate, seconds }, send);
  return runFullLoad({ concurrency: inFlight, seconds }, send);
});
