import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLOUD_ACCOUNT, CLUSTER, type CloudAccount } from '@crate/api';
import { HintBus, type ChangeHint } from '@crate/messaging';
import { KnownAccounts } from './known-accounts.js';

class FakeHints extends HintBus {
  private readonly listeners = new Set<(hint: ChangeHint) => void>();

  override publish(hints: readonly ChangeHint[]): void {
    for (const hint of hints) for (const listener of this.listeners) listener(hint);
  }

  override subscribe(listener: (hint: ChangeHint) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

let looks: string[];
let stored: Map<string, CloudAccount>;
let nowMs: number;
let accounts: KnownAccounts;
let hints: FakeHints;
beforeEach(() => {
  looks = [];
  nowMs = 0;
  stored = new Map([['team-a/main', { metadata: { name: 'main' } } as unknown as CloudAccount]]);
  const find = (name: string, namespace = ''): Promise<CloudAccount | undefined> => {
    looks.push(`${namespace}/${name}`);
    return Promise.resolve(stored.get(`${namespace}/${name}`));
  };
  accounts = new KnownAccounts({ find, list: () => Promise.resolve([...stored.values()]) }, () => nowMs);
  hints = new FakeHints();
  accounts.listen(hints);
});

function changed(
  name: string,
  namespace: string,
  { group, kind }: Pick<ChangeHint, 'group' | 'kind'> = CLOUD_ACCOUNT,
): void {
  hints.publish([{ service: 'cloud-mgmt', group, kind, namespace, name, revision: '7' }]);
}

async function findMain(): Promise<CloudAccount | undefined> {
  return accounts.find('main', 'team-a');
}

describe('KnownAccounts', () => {
  it('looks once for clusters that are created within a second', async () => {
    const first = await findMain();
    nowMs = 999;
    expect(await findMain()).toBe(first);
    expect(looks).toEqual(['team-a/main']);
    nowMs = 1_000;
    await findMain();
    expect(looks).toHaveLength(2);
  });

  it('looks again once it hears that the account has changed, and not for anything else', async () => {
    await findMain();
    changed('main', 'team-b');
    changed('other', 'team-a');
    changed('main', 'team-a', CLUSTER);
    await findMain();
    expect(looks).toHaveLength(1);
    stored.clear();
    changed('main', 'team-a');
    expect(await findMain()).toBeUndefined();
  });

  it('never keeps that there is none', async () => {
    expect(await accounts.find('new', 'team-a')).toBeUndefined();
    stored.set('team-a/new', { metadata: { name: 'new' } } as unknown as CloudAccount);
    expect(await accounts.find('new', 'team-a')).toBeDefined();
  });

  it('keeps nothing of a look that was begun before the change', async () => {
    const early = findMain();
    changed('main', 'team-a');
    await early;
    stored.clear();
    expect(await findMain()).toBeUndefined();
  });

  it.each([
    { what: 'one', name: 'main' },
    { what: 'all', name: undefined },
  ])('forgets $what at once when told to', async ({ name }) => {
    await findMain();
    stored.clear();
    accounts.forget(name, 'team-a');
    expect(await findMain()).toBeUndefined();
  });
});
