import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { FakeApi } from '../testing/fake-api.js';
import { outputOf } from '../testing/output-of.js';
import { planCommand } from './plan.command.js';

let api: FakeApi;
beforeEach(async () => {
  const plan = { metadata: { name: 'grow', namespace: 'team-a', uid: 'u' }, spec: { clusterRef: { name: 'demo' } } };
  api = await FakeApi.start(() => ({ body: plan }));
});
afterEach(async () => api.stop());

it.each([
  { what: 'a plan that is worked out', args: ['cluster/demo', '--destroy'] },
  { what: 'a plan that is carried out', args: ['approve', 'grow'] },
])('waits for $what as long as it is told', async ({ args }) => {
  const waiting = [...args, '-n', 'team-a', '--data-dir', api.dataDir, '--wait', '--timeout', '1s'];
  await expect(outputOf(planCommand(), waiting)).rejects.toMatchObject({
    code: 'Timeout',
    message: expect.stringMatching(/^Plan "\S+" took longer than 1s; look again with: crate plan show /),
  });
});
