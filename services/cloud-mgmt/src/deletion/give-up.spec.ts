import { settled } from '@crate/reconcile';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { credentialsRejected, permissionMissing } from '../provider/credentials-rejected.js';
import { DeletionBench } from '../testing/deletion-bench.js';
import { aContext } from '../testing/in-memory-cloud.js';
import { aVpc } from '../testing/phase-bench.js';

const ACCOUNT_ID = expect.stringMatching(/^\d{12}$/) as unknown as string;

let bench: DeletionBench;
beforeEach(async () => {
  bench = await DeletionBench.start();
});

describe('proof of what nobody can look at', () => {
  beforeEach(() => bench.storeState(bench.uid, [aVpc]));

  it('names what the state knows when the account is gone', async () => {
    bench.force();
    bench.infrastructure.spec = { ...bench.infrastructure.spec, accountRef: { name: 'gone' } };
    const scope = bench.scope();
    expect(await bench.destroyPhase().run(scope, aContext())).toEqual(settled);
    await bench.proofPhase().run(scope, aContext());
    expect((await bench.record())?.spec.proof.abandoned).toEqual([
      { kind: 'aws_vpc', name: 'vpc-1', region: 'us-east-1' },
    ]);
  });

  it('names what the state knows when the provider refuses the credentials, as those of a closed account', async () => {
    bench.force();
    bench.cloud.provider.failure = bench.executor.failure = credentialsRejected(
      'AWS rejected the credentials: AuthFailure',
    );
    const scope = bench.scope();
    const again = aContext({ attempts: 3 });
    expect(await bench.leftoversPhase().run(scope, again)).toEqual(settled);
    expect(await bench.destroyPhase().run(scope, again)).toEqual(settled);
    expect(await bench.proofPhase().run(scope, again)).toEqual(settled);
    const { account, proof } = (await bench.record())!.spec;
    expect(account).toEqual({ name: 'sandbox', id: ACCOUNT_ID });
    expect(proof.inventoryEmptyAt).toBeUndefined();
    const given = { account: ACCOUNT_ID, region: 'us-east-1' };
    expect(proof.abandoned).toEqual([{ kind: 'aws_vpc', name: 'vpc-1', ...given }]);
  });

  it.each([
    ['nobody forced it', false, credentialsRejected('refused'), 3],
    ['the provider does not answer', true, new Error('no answer'), 3],
    ['it may be that new credentials are not known everywhere', true, credentialsRejected('refused'), 2],
    ['the credentials lack a permission alone', true, permissionMissing('iam:ListRoleTags', 'AccessDenied'), 3],
  ])('gives up nothing while %s', async (_why, isForced, failure, attempts) => {
    if (isForced) bench.force();
    bench.cloud.provider.failure = bench.executor.failure = failure;
    const scope = bench.scope();
    for (const one of [bench.leftoversPhase(), bench.destroyPhase(), bench.proofPhase()])
      await expect(one.run(scope, aContext({ attempts }))).rejects.toBe(failure);
    expect(scope.abandoned).toEqual([]);
    expect(await bench.record()).toBeUndefined();
  });
});
