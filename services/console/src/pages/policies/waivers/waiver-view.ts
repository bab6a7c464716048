import type { PolicyWaiver } from '@crate/api';
import { apiJson } from '../../../api/http.js';
import { collectionPath, KINDS, objectPath } from '../../../api/paths.js';

const STATES = ['WaitingForApproval', 'InForce', 'Expired', 'Revoked', 'CoversNothing'] as const;

export type WaiverState = (typeof STATES)[number] | 'unknown';

type WaiverSpec = PolicyWaiver['spec'];

/** As the platform has it; its end counts by the clock, before anybody looked again. Pure. */
export function waiverState({ spec, status }: PolicyWaiver, nowMs: number): WaiverState {
  if (status?.revoked) return 'Revoked';
  if (nowMs >= Date.parse(spec.expiresAt)) return 'Expired';
  const reason = status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
  return STATES.find((state) => state === reason) ?? 'unknown';
}

/** What waits for somebody first, what is over last; then by name. Pure. */
export function sortedWaivers(waivers: readonly PolicyWaiver[], nowMs: number): readonly PolicyWaiver[] {
  const order: readonly WaiverState[] = [
    'WaitingForApproval',
    'unknown',
    'InForce',
    'CoversNothing',
    'Expired',
    'Revoked',
  ];
  const place = (waiver: PolicyWaiver): number => order.indexOf(waiverState(waiver, nowMs));
  return [...waivers].sort(
    (left, right) => place(left) - place(right) || left.metadata.name.localeCompare(right.metadata.name),
  );
}

/** Throws ApiError. */
export function askForWaiver(project: string, name: string, spec: WaiverSpec): Promise<unknown> {
  const { group, version, kind } = KINDS.policyWaiver;
  return apiJson(collectionPath(KINDS.policyWaiver, project), {
    method: 'POST',
    body: { apiVersion: `${group}/${version}`, kind, metadata: { name, namespace: project }, spec },
  });
}

/** Decides about the waiver that was read, and none that took its place. Throws ApiError. */
export function decide({ metadata }: PolicyWaiver, what: 'approve' | 'revoke'): Promise<unknown> {
  return apiJson(objectPath(KINDS.policyWaiver, metadata.name, metadata.namespace, what), {
    method: 'POST',
    body: { uid: metadata.uid },
  });
}
