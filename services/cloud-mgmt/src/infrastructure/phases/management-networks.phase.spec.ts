import { describe, expect, it } from '@jest/globals';
import type { CloudAccount } from '@crate/api';
import type { InfrastructureScope } from '../infrastructure.scope.js';
import { ManagementNetworksPhase } from './management-networks.phase.js';

function aScope(provider: string, stateSerial?: number): InfrastructureScope {
  const account = { spec: { provider, accountId: '123456789012' } } as CloudAccount;
  return { account, ...(stateSerial === undefined ? {} : { stateSerial }) } as InfrastructureScope;
}

const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.7.0/24'];

describe('ManagementNetworksPhase', () => {
  it('makes no cluster in AWS that nobody could reach, and says whose setting that is', async () => {
    const scope = aScope('aws');
    const outcome = await new ManagementNetworksPhase(PRIVATE).run(scope);
    expect(outcome).toMatchObject({ kind: 'waiting', reason: 'ManagementNetworksPrivate' });
    expect(scope.failure).toMatchObject({ code: 'ManagementNetworksPrivate', retryable: true });
    expect(scope.failure?.remedy).toContain('CRATE_MANAGEMENT_CIDRS');
  });

  it.each([
    { reason: 'one public network is enough', cidrs: [...PRIVATE, '203.0.113.7/32'], scope: aScope('aws') },
    { reason: 'a block may be private in part only', cidrs: ['8.0.0.0/6'], scope: aScope('aws') },
    { reason: 'clusters of the sandbox have addresses of this machine', cidrs: PRIVATE, scope: aScope('sandbox-aws') },
    { reason: 'what was begun is not held up', cidrs: PRIVATE, scope: aScope('aws', 3) },
  ])('goes on: $reason', async ({ cidrs, scope }) => {
    expect(await new ManagementNetworksPhase(cidrs).run(scope)).toEqual({ kind: 'settled' });
    expect(scope.failure).toBeUndefined();
  });
});
