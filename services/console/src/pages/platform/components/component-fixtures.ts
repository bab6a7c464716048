import type { Component, UpgradePlan, UpgradePlanStep } from '@crate/api';

/** A component on 0.1.0 and well; `spec` and `status` in part. */
export function aComponent(
  name: string,
  { spec = {}, status = {} }: { spec?: object; status?: object } = {},
): Component {
  const conditions = [
    { type: 'UpToDate', status: 'True', reason: 'UpToDate', message: '' },
    { type: 'Ready', status: 'True', reason: 'Ready', message: '' },
  ];
  return {
    metadata: { name, uid: `uid-${name}`, resourceVersion: '1' },
    spec,
    status: {
      installedVersion: '0.1.0',
      replicas: [{ version: '0.1.0', ready: 1, total: 1 }],
      conditions,
      ...status,
    },
  } as unknown as Component;
}

/** One that is offered these. */
export function offered(name: string, ...versions: readonly string[]): Component {
  return aComponent(name, { status: { availableVersions: versions.map((version) => ({ version })) } });
}

export function aStep(
  component: UpgradePlanStep['component'],
  changes: Partial<UpgradePlanStep> = {},
): UpgradePlanStep {
  return {
    ...{ component, from: '0.1.0', to: '0.2.0', action: 'Upgrade', hasFailed: false, problems: [] },
    moves: [
      { step: 'Canary', message: 'One more replica runs 0.2.0', atLeastSeconds: 60 },
      { step: 'Rolling', message: 'The others are replaced one by one', atLeastSeconds: 0 },
    ],
    ...changes,
  };
}

/** From 0.1.0 to 0.2.0, with nothing in the way. */
export function aPlan(changes: Partial<UpgradePlan> = {}): UpgradePlan {
  return {
    ...{ kind: 'UpgradePlan', at: '2026-11-23T12:00:00Z', to: '0.2.0', oldest: '0.1.0' },
    release: { channel: 'stable', releasedAt: '2026-11-21T00:00:00Z', isSecurity: false, upgradeFrom: '0.1.0' },
    steps: [aStep('policy-mgmt'), aStep('lifecycle')],
    ...changes,
  };
}
