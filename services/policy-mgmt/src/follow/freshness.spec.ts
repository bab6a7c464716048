import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@crate/api';
import { InMemoryResourceStore } from '@crate/resource-store';
import { ensureFresh, type Followed } from './freshness.js';

/** Objects of a kind, as far as tests say they have come. */
class FollowedByHand implements Followed {
  readonly kind;
  readonly waitedFor: string[] = [];
  isLost = false;

  constructor(
    kind: string,
    public revision: string | undefined,
  ) {
    this.kind = { group: '', kind, plural: `${kind.toLowerCase()}s` };
  }

  reaches(revision: string): Promise<boolean> {
    this.waitedFor.push(revision);
    return Promise.resolve(!this.isLost);
  }

  advance(revision: string): void {
    this.revision = revision;
  }
}

describe('ensureFresh', () => {
  let store: InMemoryResourceStore;
  let rules: FollowedByHand;
  let waivers: FollowedByHand;

  beforeEach(() => {
    store = new InMemoryResourceStore();
    [rules, waivers] = [new FollowedByHand('Rule', '0'), new FollowedByHand('Waiver', '0')];
  });

  async function stored(kind: string, name = 'a'): Promise<string> {
    const metadata = { name, uid: '', resourceVersion: '', generation: 0, creationTimestamp: '' };
    const object: KubeObject = { apiVersion: 'v1', kind, metadata };
    return (await store.create(object)).metadata.resourceVersion;
  }

  it('waits for the last change of each kind, and for nothing twice', async () => {
    await stored('Rule');
    const rule = await stored('Rule', 'b');
    const waiver = await stored('Waiver');
    await stored('Other');
    await ensureFresh([rules, waivers], store);
    expect([rules.waitedFor, waivers.waitedFor]).toEqual([[rule], [waiver]]);
    await ensureFresh([rules, waivers], store);
    expect([rules.waitedFor, waivers.waitedFor]).toEqual([[rule], [waiver]]);
  });

  it('looks from where the one that has come least far is', async () => {
    const waiver = await stored('Waiver');
    rules.revision = waiver;
    await ensureFresh([rules, waivers], store);
    expect(waivers.waitedFor).toEqual([waiver]);
  });

  it('waits for nothing where neither kind has changed', async () => {
    for (let index = 0; index < 600; index += 1) await stored('Other', `a-${index}`);
    await ensureFresh([rules, waivers], store);
    expect([...rules.waitedFor, ...waivers.waitedFor]).toEqual([]);
    expect([rules.revision, waivers.revision]).toEqual(Array(2).fill(await store.currentRevision()));
  });

  it('fails where one does not catch up, or is not loaded', async () => {
    await stored('Waiver');
    waivers.isLost = true;
    await expect(ensureFresh([rules, waivers], store)).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'The waivers have changed and are not loaded yet',
    });
    waivers.revision = undefined;
    await expect(ensureFresh([rules, waivers], store)).rejects.toThrow('The waivers are not loaded yet');
  });
});
