import { describe, expect, it } from '@jest/globals';
import { anObject, aWorld } from '../testing/a-world.js';
import { finds } from '../testing/finds.js';
import type { KubeObject } from '../world/kube-object.js';
import type { World } from '../world/world.js';
import { judge } from './all.js';

const [ACCOUNT = anObject('CloudAccount')] = aWorld().accounts;

interface Swap {
  /** Of the newest change in the log. */
  readonly last: string;
  readonly told: string;
  readonly accessKeyId: string;
}

/** An account as it is now, and as its last write was acknowledged, by the fingerprints of their credentials. */
function swapped(inUse: string, changes: Partial<Swap> = {}): Partial<World> {
  const { last = inUse } = changes;
  const { told = last, accessKeyId = 'AKIAONE' } = changes;
  const of = (credentialsFingerprint: string): KubeObject => ({ ...ACCOUNT, spec: { credentialsFingerprint } });
  const { metadata } = ACCOUNT;
  const change = { type: 'MODIFIED' as const, kind: 'CloudAccount', uid: metadata.uid };
  const writes = [told, ...(last === told ? [] : [last])].map((each, index) => ({
    ...change,
    revision: 8 + index,
    object: of(each),
  }));
  const entry = { what: 'stored' as const, kind: 'CloudAccount', uid: metadata.uid, name: metadata.name, revision: 8 };
  return {
    accounts: [of(inUse)],
    changes: { ...aWorld().changes, CloudAccount: writes },
    acknowledged: [{ ...entry, spec: of(told).spec ?? {}, accessKeyId }],
  };
}

/** Version 3 of a state, of which somebody was told that it is version 2, put in place again. */
function restored(version: Partial<World['states'][number]> | undefined): Partial<World> {
  const { states } = aWorld();
  const entry = { what: 'restored' as const, kind: 'StateVersion', uid: 'v3', name: 'demo.3', revision: NaN };
  const before = states[1]!;
  const stored = version ? [{ ...before, version: 3, serial: 5, ...version }] : [];
  return {
    states: [...states, ...stored],
    acknowledged: [{ ...entry, owner: before.owner, spec: { serial: 3, restoredFrom: 2 } }],
  };
}

describe('what was swapped or put in place again', () => {
  finds('acknowledged writes are readable', [
    {
      reason: 'a swap of credentials that the log has, and the account has not',
      planted: swapped('f0', { last: 'f1' }),
      message: /main uses credentials f0, and was told f1 last/,
    },
    {
      reason: 'credentials in use that nobody has',
      planted: swapped('f2'),
      message: /f2, which are not stored/,
    },
    {
      reason: 'credentials that are others than were sent',
      planted: swapped('f1', { accessKeyId: 'AKIATWO' }),
      message: /uses AKIAONE where AKIATWO was acknowledged/,
    },
    {
      reason: 'a state that was put in place again and is not there',
      planted: restored(undefined),
      message: /demo.3 was put in place and is not there/,
    },
    {
      reason: 'a state of a run under the number of one that was put in place again',
      planted: restored({}),
      message: /demo.3 is not version 2, put in place again/,
    },
    {
      reason: 'a state that was put in place again with another content',
      planted: restored({ restored: 2, substance: 'c' }),
      message: /demo.3 has another content than version 2/,
    },
  ]);

  it.each([
    { reason: 'a swap of credentials that was acknowledged', planted: swapped('f1') },
    { reason: 'a swap that nobody answered, after it', planted: swapped('f1', { told: 'f0', accessKeyId: 'AKIAOLD' }) },
    {
      reason: 'a swap that may have been followed by another one, in a gap',
      planted: { ...swapped('f1', { last: 'f0' }), gaps: { CloudAccount: [{ after: 8, upTo: 9 }] } },
    },
    { reason: 'a state that was put in place again', planted: restored({ restored: 2 }) },
    {
      reason: 'one that is forgotten, with all before it',
      planted: { ...restored(undefined), states: [{ ...aWorld().states[1]!, version: 4 }] },
    },
  ])('takes for kept: $reason', ({ planted }) => {
    expect(judge(aWorld(planted))).toEqual([]);
  });
});
