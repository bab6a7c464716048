import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CratePlatform } from '@crate/testing';
import { CrateUser } from './crate-user.js';

let platform: CratePlatform;
let user: CrateUser;
beforeAll(async () => {
  platform = await CratePlatform.start();
  user = await CrateUser.of(platform);
});
afterEach(async () => {
  await platform.crate('sandbox', 'fault', 'clear');
  await user.delete();
  await user.untilGone();
});
afterAll(async () => platform?.remove());

describe('a cloud that refuses', () => {
  it.each([
    { code: 'QuotaExceeded', fault: ['--kind', 'quota', '--type', 'aws_instance', '--limit', '3'] },
    { code: 'CredentialsRejected', fault: ['--kind', 'credentials'] },
    { code: 'CapacityUnavailable', fault: ['--kind', 'capacity', '--machine-type', 'm5.xlarge'] },
  ])('shows $code on the Cluster, and goes on when the cause is gone', async ({ code, fault }) => {
    await platform.crate('sandbox', 'fault', 'set', 'trouble', ...fault);
    await user.applyQuickstart();
    const failing = await user.until('demo', (cluster) => cluster.status?.failure !== undefined);

    expect(failing.status?.failure).toMatchObject({ code, field: expect.any(String), remedy: expect.any(String) });
    await platform.crate('sandbox', 'fault', 'clear', 'trouble');
    const ready = await user.untilReady();
    expect(ready.status?.failure).toBeUndefined();
  });

  it('loses no object whose answer was lost', async () => {
    const lost = ['--kind', 'timeout-after-success', '--type', 'aws_instance', '--remaining', '1'];
    await platform.crate('sandbox', 'fault', 'set', 'lost-answer', ...lost);
    await user.applyQuickstart();
    await user.untilReady();

    const inventory = await platform.inventory();
    expect(inventory.filter(({ type }) => type === 'aws_instance')).toHaveLength(6);
  });
});
