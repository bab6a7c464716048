import { CLOUD_ACCOUNT, type CloudAccount, type SweepReport } from '@crate/api';
import { unavailable } from '@crate/errors';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { TypedClient } from '@crate/resource-client';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { serveSweep } from './sweep.serving.js';

const CALLER = { caller: { user: 'test', groups: [] }, traceId: 'trace' };
const { group, version, plural } = CLOUD_ACCOUNT;
const REF = { group, version, plural, namespace: 'team-a', name: 'main' };
const REPORT: SweepReport = { regions: [], findings: [], omitted: 0, listed: 0, others: 0, mode: 'remove' };

let api: LocalResourceApi;
let woken: string[];
let failure: Error | undefined;

beforeEach(async () => {
  [woken, failure] = [[], undefined];
  const kinds = new KindRegistry();
  const sweep = { report: (): Promise<SweepReport> => (failure ? Promise.reject(failure) : Promise.resolve(REPORT)) };
  const wake = async ({ metadata }: CloudAccount): Promise<void> => Promise.resolve(void woken.push(metadata.name));
  kinds.add({ definition: CLOUD_ACCOUNT, subresources: { sweep: serveSweep(sweep, wake) } });
  api = new LocalResourceApi({ store: new InMemoryResourceStore(), kinds });
  const accounts = new TypedClient<CloudAccount>(api, CLOUD_ACCOUNT, CALLER);
  await accounts.create({ metadata: { name: 'main', namespace: 'team-a' }, spec: { provider: 'sandbox-aws' } });
});

describe('the subresource sweep', () => {
  it('looks and does nothing when it is read', async () => {
    expect(await api.readSubresource(REF, 'sweep', CALLER)).toEqual(REPORT);
    expect(woken).toEqual([]);
  });

  it('has a sweep begin when it is written, unless that is a dry run', async () => {
    expect(await api.writeSubresource(REF, 'sweep', { verb: 'create', body: {}, dryRun: true }, CALLER)).toEqual(
      REPORT,
    );
    expect(woken).toEqual([]);

    expect(await api.writeSubresource(REF, 'sweep', { verb: 'create', body: {} }, CALLER)).toEqual(REPORT);
    expect(woken).toEqual(['main']);
  });

  it('begins nothing while the provider does not answer', async () => {
    failure = unavailable('AWS does not answer');

    await expect(api.writeSubresource(REF, 'sweep', { verb: 'create', body: {} }, CALLER)).rejects.toMatchObject({
      code: 'Unavailable',
    });
    expect(woken).toEqual([]);
  });

  it('is not offered of an account that does not exist', async () => {
    await expect(api.readSubresource({ ...REF, name: 'other' }, 'sweep', CALLER)).rejects.toMatchObject({
      code: 'NotFound',
    });
  });
});
