import type { DeletionRecord } from '@crate/api';
import { OWNER_TAGS, type OwnedResource } from '@crate/infra-aws';
import { settled } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { RecoveryHold } from '@crate/service-host';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { InfrastructureClouds } from '../infrastructure/infrastructure-cloud.js';
import { openScope, type InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { aContext, InMemoryCloud, NAMESPACE } from '../testing/in-memory-cloud.js';
import { ForgottenPhase } from './forgotten.phase.js';

const SET_BACK = { epoch: 1, begunAt: new Date(0), reason: 'older' };
const OURS = {
  [OWNER_TAGS.project]: NAMESPACE,
  [OWNER_TAGS.installation]: 'installation-1',
  [OWNER_TAGS.infrastructureUid]: 'forgotten',
};

let cloud: InMemoryCloud;
let scope: InfrastructureScope;
let gone: readonly string[];

beforeEach(async () => {
  cloud = new InMemoryCloud();
  gone = [];
  scope = openScope(await cloud.ensureInfrastructure());
  scope.account = await cloud.ensureAccount();
});

function aVpc(tags: Record<string, string> = {}): OwnedResource {
  return { type: 'aws_vpc', id: 'vpc-1', importId: 'vpc-1', tags: { ...OURS, ...tags } };
}

function phase(setBack: typeof SET_BACK | null = SET_BACK): ForgottenPhase {
  const list = (): Promise<DeletionRecord[]> =>
    Promise.resolve(gone.map((uid) => ({ spec: { infrastructure: { uid } } }) as DeletionRecord));
  return new ForgottenPhase({
    installationId: 'installation-1',
    clouds: new InfrastructureClouds(cloud.providers, cloud.credentials),
    recovery: new RecoveryHold({ find: () => Promise.resolve(setBack ?? undefined) }),
    infrastructures: cloud.infrastructures,
    records: { list } as unknown as TypedClient<DeletionRecord>,
  });
}

describe('ForgottenPhase', () => {
  it('makes no second cluster beside one that a restored memory has forgotten', async () => {
    cloud.provider.owned = [aVpc(), aVpc()];
    await expect(phase().run(scope, aContext())).rejects.toMatchObject({
      message: expect.stringContaining('2 resources of an earlier cluster demo are there'),
      details: {
        reason: 'Recovering',
        remedy: expect.stringContaining(`crate recovery take-back demo -n ${NAMESPACE} --from URL`),
      },
    });
  });

  it.each([
    { reason: 'it is of a cluster of that name in another Project', tags: { [OWNER_TAGS.project]: 'team-b' } },
    { reason: 'another installation made it', tags: { [OWNER_TAGS.installation]: 'other' } },
    { reason: 'it is proven to be left over from a deletion', tags: { [OWNER_TAGS.infrastructureUid]: 'deleted' } },
  ])('goes on when what is there is nothing of it: $reason', async ({ tags }) => {
    gone = ['deleted'];
    cloud.provider.owned = [aVpc(tags)];
    expect(await phase().run(scope, aContext())).toEqual(settled);
  });

  it('goes on when it has a state of its own, when it is its own, and in normal operation', async () => {
    cloud.provider.owned = [aVpc({ [OWNER_TAGS.infrastructureUid]: scope.infrastructure.metadata.uid })];
    expect(await phase().run(scope, aContext())).toEqual(settled);
    cloud.provider.owned = [aVpc()];
    expect(await phase(null).run(scope, aContext())).toEqual(settled);
    scope.stateSerial = 1;
    expect(await phase().run(scope, aContext())).toEqual(settled);
  });
});
