import type { CloudAccount, Cluster, KubeObject } from '@crate/api';
import type { PolicyReviewer } from '@crate/messaging';
import type { AdmissionRequest, AdmissionResult } from '@crate/resource-server';
import { isTakenBack } from '../plan/approved-plan.js';
import type { AccountProviders } from './account-providers.js';
import { clusterReview, denialOf, reviewWarnings, type ReviewedAs } from './cluster.policy.js';

/** Who is asked for a verdict, and what of the cluster they have to be told. */
export interface VerdictPorts {
  readonly providers: Pick<AccountProviders, 'of'>;
  readonly policies: PolicyReviewer;
}

/** The verdict of policies. `account` is a look at the account that is under way. */
export async function judge(
  admitted: AdmissionRequest,
  { policies, providers }: VerdictPorts,
  account?: Promise<CloudAccount | undefined>,
): Promise<AdmissionResult> {
  const cluster = admitted.object as Cluster;
  if (isGoing(cluster)) return {};
  const { traceId, caller } = admitted.context;
  const provider = await providers.of(cluster, account);
  const request = clusterReview(cluster, { ...changeOf(admitted), provider });
  const review = await policies.review(request, { traceId, caller });
  const denial = denialOf(cluster, review);
  if (denial) throw denial;
  return { warnings: reviewWarnings(review) };
}

/** None where the spec of a plan is taken back: of what it changes nothing was carried out, so what is there is judged, as passes do. */
function changeOf({ operation, object, oldObject, context: { caller }, dryRun }: AdmissionRequest): ReviewedAs {
  if (oldObject && isTakenBack(oldObject, object, caller.service)) return {};
  return { operation, before: oldObject as Cluster | undefined, caller, dryRun };
}

/** What is being deleted already may be deleted again, and passes that carry a deletion out ask nobody. */
export async function judgeDeletion(
  { operation, object, context, dryRun }: AdmissionRequest,
  { policies, providers }: VerdictPorts,
): Promise<AdmissionResult | undefined> {
  const cluster = object as Cluster;
  if (isGoing(cluster)) return undefined;
  const { traceId, caller } = context;
  // Without an answer rules of every provider hold, which is no reason to keep a deletion waiting.
  const provider = await providers.of(cluster).catch(() => undefined);
  const request = clusterReview(cluster, { operation, before: cluster, caller, dryRun, provider });
  const review = await policies.review(request, { traceId, caller });
  const denial = denialOf(cluster, review, { what: `The deletion of Cluster "${cluster.metadata.name}"` });
  if (denial) throw denial;
  return { warnings: reviewWarnings(review) };
}

/** Whether it is being deleted. */
export function isGoing({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
