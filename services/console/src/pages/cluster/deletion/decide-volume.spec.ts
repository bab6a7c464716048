import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PlayedApi } from '../../../testing/played-api.js';
import { aCluster } from '../testing/a-cluster.js';
import { KEEP_VOLUMES, REMOVE_VOLUMES } from './consent.js';
import { decideVolume } from './decide-volume.js';

const api = new PlayedApi();
const KEY = { project: 'team-a', name: 'demo' };
const DEMO = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters/demo';
const CONFLICT = { reason: 'Conflict', message: 'The object has been modified' };

/** What the server has when it is asked for the first time, the second, and so on. */
function stored(...volumes: readonly string[]): void {
  let asked = 0;
  api.answer(DEMO, () => {
    const named = volumes[Math.min(asked, volumes.length - 1)] ?? '';
    asked += 1;
    return aCluster({}, { metadata: { resourceVersion: String(asked), annotations: { [KEEP_VOLUMES]: named } } });
  });
}

const patches = (): unknown[] =>
  api.calls.filter(({ call }) => call === `PATCH ${DEMO}`).map(({ body }) => JSON.parse(String(body)) as unknown);

describe('decideVolume', () => {
  beforeEach(() => {
    api.install();
    api.json(DEMO, {}, { method: 'PATCH' });
  });
  afterEach(() => api.remove());

  it('adds the volume to those that are named now', async () => {
    stored('vol-0');
    await decideVolume(KEY, KEEP_VOLUMES, 'vol-1');
    expect(patches()).toEqual([{ metadata: { resourceVersion: '1', annotations: { [KEEP_VOLUMES]: 'vol-0,vol-1' } } }]);
  });

  it('looks again when somebody was quicker, and keeps what they said', async () => {
    stored('', 'vol-2');
    api.refuse(DEMO, 409, CONFLICT, 'PATCH');
    await expect(decideVolume(KEY, KEEP_VOLUMES, 'vol-1')).rejects.toMatchObject({ status: 409 });
    const [first, second, ...others] = patches();
    expect(first).toMatchObject({ metadata: { annotations: { [KEEP_VOLUMES]: 'vol-1' } } });
    expect(second).toMatchObject({
      metadata: { resourceVersion: '2', annotations: { [KEEP_VOLUMES]: 'vol-2,vol-1' } },
    });
    expect(others).toHaveLength(3);
  });

  it('names a volume once, and does not ask again for what is refused', async () => {
    stored('vol-1');
    api.refuse(DEMO, 403, { reason: 'Forbidden', message: 'no' }, 'PATCH');
    await expect(decideVolume(KEY, KEEP_VOLUMES, 'vol-1')).rejects.toMatchObject({ status: 403 });
    await expect(decideVolume(KEY, REMOVE_VOLUMES, 'vol-1')).rejects.toMatchObject({ status: 403 });
    expect(patches()).toEqual([
      { metadata: { resourceVersion: '1', annotations: { [KEEP_VOLUMES]: 'vol-1' } } },
      { metadata: { resourceVersion: '2', annotations: { [REMOVE_VOLUMES]: 'vol-1' } } },
    ]);
  });
});
