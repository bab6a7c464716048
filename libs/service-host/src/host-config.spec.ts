import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { hostConfig } from './host-config.js';

it.each([
  'docs/runbooks/CrateLeasesLost.md',
  'docs/runbooks/CrateReconcileQueueStuck.md',
  'docs/runbooks/CrateReplicaDown.md',
  'docs/terraform-state.md',
  'services/cli/src/doctor/local-checks.ts',
])('%s tells people how long a lease lasts', async (path) => {
  const { leaseMs } = hostConfig.shape.reconcile.parse(undefined);
  const seconds = leaseMs / 1000;
  const text = await readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
  expect(text).toMatch(new RegExp(`\\b${seconds} s\\b|LEASE_SECONDS = ${seconds};`));
});
