import { apiVersionOf, COMPONENT, type Component, type UpgradePlan, type UpgradePlanStep } from '@crate/api';

/** A component as the API gives it, on 0.1.0 and well; `spec` and `status` in part. */
export function aComponent(
  name: string,
  { spec = {}, status = {}, generation = 1 }: { spec?: object; status?: object; generation?: number } = {},
): Component {
  const conditions = [
    { type: 'Ready', status: 'True', reason: 'Ready', message: '' },
    { type: 'UpToDate', status: 'True', reason: 'UpToDate', message: '' },
  ];
  const body = COMPONENT.body.parse({ spec }) as { spec: Component['spec'] };
  return {
    apiVersion: apiVersionOf(COMPONENT),
    kind: COMPONENT.kind,
    metadata: { name, uid: `uid-${name}`, resourceVersion: '7', generation, creationTimestamp: '2026-11-20T12:00:00Z' },
    spec: body.spec,
    status: {
      installedVersion: '0.1.0',
      replicas: [{ version: '0.1.0', ready: 1, total: 1 }],
      conditions,
      ...status,
    },
  } as unknown as Component;
}

/** A condition `UpToDate` that is not so. */
export function notUpToDate(reason: string, message = ''): { conditions: readonly object[] } {
  return { conditions: [{ type: 'UpToDate', status: 'False', reason, message }] };
}

/** How it stands after it was taken back from 0.2.0. */
export function takenBack(message: string): object {
  const at = { startedAt: '2026-11-20T12:00:00Z', endedAt: '2026-11-20T12:05:00Z' };
  return {
    ...notUpToDate('RolledBack', `0.2.0 was taken back to 0.1.0: ${message}`),
    history: [{ from: '0.1.0', to: '0.2.0', ...at, outcome: 'RolledBack', generation: 1 }],
  };
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
