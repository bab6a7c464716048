import { conditionFalse, conditionTrue, conditionUnknown, findCondition } from '@crate/api';
import { settled } from '@crate/reconcile';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CloudProviders } from '../../provider/cloud-providers.js';
import { PhaseBench } from '../../testing/phase-bench.js';
import { openScope } from '../infrastructure.scope.js';
import { AccountPhase, accountReadyPhase } from './account.phase.js';

let bench: PhaseBench;
beforeEach(() => {
  bench = new PhaseBench();
});

describe('AccountPhase', () => {
  it('finds the account', async () => {
    await bench.cloud.ensureAccount();
    const scope = openScope(await bench.cloud.ensureInfrastructure());

    expect(await new AccountPhase(bench.cloud.accounts).run(scope)).toEqual(settled);
    expect(scope.account?.metadata.name).toBe('sandbox');
  });

  it('waits for one that does not exist, and says what to do', async () => {
    const scope = openScope(await bench.cloud.ensureInfrastructure());

    expect(await new AccountPhase(bench.cloud.accounts).run(scope)).toMatchObject({ reason: 'CloudAccountNotFound' });
    expect(scope.failure).toMatchObject({ code: 'CloudAccountNotFound', field: 'spec.accountRef.name' });
  });
});

describe('accountReadyPhase', () => {
  it.each([
    { name: 'is ready', fact: conditionTrue('Ready', 'Ready'), isApplied: false, waits: false, code: undefined },
    { name: 'was not checked yet', fact: undefined, isApplied: false, waits: true, code: undefined },
    {
      name: 'was rejected',
      fact: conditionFalse('Ready', 'CredentialsRejected', 'No'),
      isApplied: false,
      waits: true,
      code: 'CredentialsRejected',
    },
    {
      name: 'was rejected, but nothing is to be done',
      fact: conditionFalse('Ready', 'CredentialsRejected', 'No'),
      isApplied: true,
      waits: false,
      code: undefined,
    },
  ])('waits $waits when the account $name', async ({ fact, isApplied, waits, code }) => {
    const scope = openScope(await bench.cloud.ensureInfrastructure());
    scope.account = await bench.accountThatIs(fact);
    scope.isApplied = isApplied;

    expect((await accountReadyPhase()(scope)).kind).toBe(waits ? 'waiting' : 'settled');
    expect(scope.failure?.code).toBe(code);
  });

  it('advises what can be done: the account of a cluster stays the one it was made in', async () => {
    const scope = openScope(await bench.cloud.ensureInfrastructure());
    const offered = (): unknown => new CloudProviders({}).get('aws');
    scope.account = await bench.accountThatIs(conditionFalse('Ready', 'CredentialsRejected', 'No'));
    await accountReadyPhase()(scope);

    const remedy = expect.stringMatching(/takes a new cluster$/);
    expect(scope.failure).toMatchObject({ field: 'spec.accountRef.name', remedy });
    expect(offered).toThrow(expect.objectContaining({ details: expect.objectContaining({ remedy }) }));
  });

  it.each([
    { reason: 'ConnectionDown', after: 0, code: undefined, remedy: undefined },
    { reason: 'ConnectionDown', after: 5 * 60_000, code: 'CloudUnreachable', remedy: 'Let cloud-mgmt reach' },
    { reason: 'ProviderUnavailable', after: 0, code: undefined, remedy: undefined },
    { reason: 'ProviderUnavailable', after: 5 * 60_000, code: 'ProviderUnavailable', remedy: 'Nothing to do' },
  ])('calls $reason of an account for $after ms $code', async ({ reason, after, code, remedy }) => {
    const scope = openScope(await bench.cloud.ensureInfrastructure());
    scope.account = await bench.accountThatIs(conditionUnknown('Ready', reason, 'AWS said no'));
    const since = findCondition(scope.account.status?.conditions, 'Ready')?.lastTransitionTime ?? '';

    await accountReadyPhase(() => new Date(Date.parse(since) + after))(scope);
    expect(scope.failure?.code).toBe(code);
    if (code !== undefined) expect(scope.failure?.message).toContain('AWS said no');
    if (remedy !== undefined) expect(scope.failure?.remedy).toContain(remedy);
  });
});
