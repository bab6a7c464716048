import type { Manifest } from '@crate/api';
import { refOf } from './inventory.js';
import { isKindNotServed } from './resource-paths.js';
import type { TargetCluster } from './target-cluster.js';

const REGISTRATIONS = ['admissionregistration.k8s.io', 'apiregistration.k8s.io'];
const GATES = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration', 'APIService'];

export interface Refused {
  readonly refusals: readonly unknown[];
  readonly signal: AbortSignal;
}

/**
 * True for what would have the API server ask somebody else, when it is not there yet and something before it was refused: its server
 * may be what is missing, and then writes of the whole cluster would fail. An APIService may be what serves a kind that is not served.
 */
export async function isHeldBack(
  cluster: TargetCluster,
  manifest: Manifest,
  { refusals, signal }: Refused,
): Promise<boolean> {
  const { apiVersion, kind } = manifest;
  if (!GATES.includes(kind) || !REGISTRATIONS.includes(apiVersion.split('/')[0] ?? '')) return false;
  const isConcerned = refusals.some((refusal) => kind !== 'APIService' || !isKindNotServed(refusal));
  return isConcerned && (await cluster.find(refOf(manifest), signal)) === undefined;
}
