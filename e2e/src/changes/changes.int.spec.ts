import { afterAll, beforeAll } from '@jest/globals';
import { CratePlatform } from '@crate/testing';
import { CrateUser } from '../crate-user.js';
import { ACCOUNT } from './documents.js';
import { drift } from './drift.js';
import { plannedDeletion, plans } from './plans.js';

// One cluster, which a plan makes, somebody changes behind the platform, and a plan takes away.
let user: CrateUser;
beforeAll(async () => {
  user = await CrateUser.of(await CratePlatform.start());
  await user.apply({ apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Project', metadata: { name: 'team-a' } });
  await user.apply({
    apiVersion: 'cloud.crate.dev/v1alpha1',
    kind: 'CloudAccount',
    metadata: { name: 'sandbox', namespace: 'team-a' },
    spec: { provider: 'sandbox-aws', accountId: ACCOUNT },
  });
});
afterAll(async () => user?.platform.remove());

plans(() => user);
drift(() => user);
plannedDeletion();
