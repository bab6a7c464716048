import { COMPONENT, type Component, type PlatformService, type ReplicaReport } from '@crate/api';
import type { ReleaseIndex } from '../../release/release-index.js';
import type { ComponentFacts } from '../component.facts.js';
import type { InstalledSlot } from '../installer.js';

export const NOW = new Date('2026-11-22T12:00:00Z');

const release = { channel: 'stable', releasedAt: '2026-11-01T00:00:00Z', isSecurity: false } as const;

/** From 1.0.0 to 1.1.0, and back. */
export const INDEX: ReleaseIndex = {
  kind: 'ReleaseIndex',
  serial: 1,
  expiresAt: '2027-01-01T00:00:00Z',
  releases: [
    { ...release, version: '1.0.0' },
    { ...release, version: '1.1.0', upgradeFrom: '1.0.0', downgradeTo: '1.0.0' },
  ],
};

/** A component as it is stored; `spec` and `status` in part. */
export function aComponent(
  name: string,
  { spec = {}, status = {}, generation = 1 }: { spec?: object; status?: object; generation?: number } = {},
): Component {
  const parsed = COMPONENT.body.parse({ spec }) as { spec: Component['spec'] };
  return {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: COMPONENT.kind,
    metadata: { name, uid: `uid-${name}`, resourceVersion: '1', generation, creationTimestamp: '2026-11-01T00:00:00Z' },
    spec: parsed.spec,
    status: { installedVersion: '1.0.0', ...status },
  };
}

export function aSlot(name: string, version: string, changes: Partial<InstalledSlot> = {}): InstalledSlot {
  return { name, version, isReady: true, restarts: 0, isCanary: false, ...changes };
}

/** A service as the platform's status has it: replicas of these versions, all ready unless stated. */
export function aService(name: string, replicas: readonly (string | Partial<ReplicaReport>)[]): PlatformService {
  const told = replicas.map((each, index) => ({
    ...{ name: `${name}@host:${index + 1}`, state: 'Ready', checks: [] },
    ...(typeof each === 'string' ? { version: each } : each),
  }));
  return { name, state: 'Ready', answered: true, replicas: told } as unknown as PlatformService;
}

/** All well on 1.0.0, and 1.1.0 wanted and there. */
export function someFacts(changes: Partial<ComponentFacts> = {}): ComponentFacts {
  return {
    component: aComponent('policy-mgmt', { spec: { version: '1.1.0' } }),
    others: [aComponent('cloud-mgmt'), aComponent('cluster-mgmt'), aComponent('lifecycle')],
    installation: { version: '1.0.0', slots: [aSlot('policy-mgmt', '1.0.0')], present: ['1.0.0', '1.1.0'] },
    service: aService('policy-mgmt', ['1.0.0']),
    index: INDEX,
    now: NOW,
    ...changes,
  };
}
