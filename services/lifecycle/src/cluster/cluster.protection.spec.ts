import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Cluster, ProjectRole } from '@crate/api';
import type { Caller } from '@crate/resource-client';
import type { AdmissionResult } from '@crate/resource-server';
import { roleIn, membersOf } from '../access/caller-role.js';
import { aCluster, deleting } from '../testing/a-cluster.js';
import { aProject, apiKey, person } from '../testing/a-project.js';
import { protectionAdmission } from './cluster.protection.admission.js';

const CONFIRM = 'lifecycle.crate.dev/confirm-deletion';
const APPROVE = 'lifecycle.crate.dev/approve-deletion';
const CONFIRMED = 'lifecycle.crate.dev/deletion-confirmed';
const APPROVED = 'lifecycle.crate.dev/deletion-approved';

const ANNA = person('anna');
const OTTO = person('otto');
const OLGA = person('olga');
const PLATFORM = person('pia', 'platform-admin');
const MEMBERS = membersOf(
  aProject('team-a', {
    members: [
      { kind: 'User', name: 'anna', role: 'admin' },
      { kind: 'User', name: 'otto', role: 'operator' },
      { kind: 'User', name: 'olga', role: 'operator' },
    ],
  }),
);
const members = {
  roleOf: (caller: Caller, project: string): ProjectRole | undefined => roleIn(project, MEMBERS, caller),
};

let now: Date;
let live: Cluster;
beforeEach(() => {
  now = new Date('2026-01-01T12:00:00Z');
  live = aCluster({ deletionProtection: true });
});

const hook = protectionAdmission({ members, now: () => now });

async function ask(
  operation: 'CREATE' | 'UPDATE' | 'DELETE',
  object: Cluster,
  caller: Caller,
): Promise<AdmissionResult | void> {
  const old = operation === 'CREATE' ? {} : { oldObject: live };
  return hook({ operation, object, ...old, context: { caller, traceId: 't' }, dryRun: false });
}

function annotated(annotations: Record<string, string>, cluster = live): Cluster {
  return { ...cluster, metadata: { ...cluster.metadata, annotations } };
}

/** Stores what admission makes of the change. */
async function write(object: Cluster, caller: Caller): Promise<void> {
  live = (((await ask('UPDATE', object, caller)) ?? {}).object as Cluster | undefined) ?? object;
}

async function remove(caller: Caller): Promise<AdmissionResult | void> {
  return ask('DELETE', live, caller);
}

const protectedError = { code: 'Forbidden', details: { reason: 'DeletionProtected' } };

describe('deletion of a protected cluster', () => {
  it.each([
    ['an operator', OTTO],
    ['an administrator', ANNA],
    ['the platform', PLATFORM],
    ['a key', apiKey('team-a', 'admin')],
    ['a service', { user: 'system:lifecycle', groups: [], service: 'lifecycle' }],
  ])('is refused to %s, saying what to do', async (_who, caller) => {
    await expect(remove(caller)).rejects.toMatchObject(protectedError);
    await expect(remove(caller)).rejects.toThrow(`${CONFIRM}=demo`);
  });

  it('goes on once it began', async () => {
    live = deleting(live);
    await expect(remove(OTTO)).resolves.toBeUndefined();
  });

  it('is held to the protection that it was judged by', async () => {
    live = aCluster();
    expect(await remove(OTTO)).toMatchObject({ guards: [{ kind: 'Cluster', namespace: 'team-a', name: 'demo' }] });
  });
});

describe('confirmation', () => {
  it('by an administrator lets anybody delete, for an hour', async () => {
    await write(annotated({ [CONFIRM]: 'demo', note: 'kept' }), ANNA);
    expect(live.metadata.annotations).toEqual({
      [CONFIRM]: 'demo',
      [CONFIRMED]: '2026-01-01T12:00:00Z anna',
      note: 'kept',
    });
    for (const caller of [OTTO, ANNA, apiKey('team-a', 'operator')])
      await expect(remove(caller)).resolves.toBeDefined();

    now = new Date('2026-01-01T13:00:00Z');
    await expect(remove(OTTO)).rejects.toThrow('confirmation of anna is too old');
  });

  it.each([
    ['an operator', OTTO],
    ['a key of an operator', apiKey('team-a', 'operator')],
    ['a stranger', person('eve')],
  ])('is refused to %s', async (_who, caller) => {
    await expect(write(annotated({ [CONFIRM]: 'demo' }), caller)).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('names the cluster', async () => {
    await expect(write(annotated({ [CONFIRM]: 'yes' }), ANNA)).rejects.toMatchObject({ code: 'InvalidSpec' });
  });

  it('cannot be forged, kept alive or moved by whoever may write', async () => {
    await write(annotated({ [CONFIRMED]: '2026-01-01T12:00:00Z anna' }), OTTO);
    expect(live.metadata.annotations).toBeUndefined();

    await write(annotated({ [CONFIRM]: 'demo' }), ANNA);
    now = new Date('2026-01-01T13:30:00Z');
    await write(annotated({ [CONFIRM]: 'demo', [CONFIRMED]: '2026-01-01T13:29:00Z anna' }), OTTO);
    expect(live.metadata.annotations?.[CONFIRMED]).toBe('2026-01-01T12:00:00Z anna');
    await expect(remove(OTTO)).rejects.toMatchObject(protectedError);
    // Without its record it counts as new, so it is not for everybody to give.
    live = annotated({ [CONFIRM]: 'demo' });
    await expect(write(annotated({ [CONFIRM]: 'demo' }), OTTO)).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('is given anew after it was taken away', async () => {
    await write(annotated({ [CONFIRM]: 'demo' }), ANNA);
    await write(annotated({}), OTTO);
    expect(live.metadata.annotations).toEqual({});
    now = new Date('2026-01-01T14:00:00Z');
    await write(annotated({ [CONFIRM]: 'demo' }), ANNA);
    await expect(remove(OTTO)).resolves.toBeDefined();
  });

  it('is not part of a new cluster', async () => {
    const given = annotated({
      [CONFIRM]: 'demo',
      [CONFIRMED]: '2026-01-01T12:00:00Z anna',
      [APPROVE]: 'anna',
      note: 'x',
    });
    const result = await ask('CREATE', given, ANNA);
    expect(result).toMatchObject({ object: { metadata: { annotations: { note: 'x' } } } });
    expect(JSON.stringify(result)).not.toContain('deletion-');
  });
});

describe('approval', () => {
  it('lets another person delete, for an hour', async () => {
    await write(annotated({ [APPROVE]: 'otto' }), OTTO);
    expect(live.metadata.annotations?.[APPROVED]).toBe('2026-01-01T12:00:00Z otto');
    await expect(remove(OLGA)).resolves.toBeDefined();
    await expect(remove(OTTO)).rejects.toThrow('another person');
    await expect(remove(apiKey('team-a', 'operator'))).rejects.toThrow('another person');
    now = new Date('2026-01-01T13:00:01Z');
    await expect(remove(OLGA)).rejects.toThrow('approval of otto is too old');
  });

  describe('of a deletion by plan, which is this service’s,', () => {
    const SELF = { user: 'system:lifecycle', groups: [], service: 'lifecycle' };
    const by = (decidedBy: string | undefined, dryRun = false): Promise<AdmissionResult | void> =>
      hook({
        operation: 'DELETE',
        object: live,
        oldObject: live,
        context: { caller: SELF, traceId: 't', ...(decidedBy === undefined ? {} : { decidedBy }) },
        dryRun,
      });

    beforeEach(() => write(annotated({ [APPROVE]: 'otto' }), OTTO));

    it.each([true, false])('is for the person who approved the plan (dry run: %s)', async (dryRun) => {
      await expect(by('olga', dryRun)).resolves.toBeDefined();
      await expect(by('otto', dryRun)).rejects.toThrow('another person');
      await expect(by(apiKey('team-a', 'operator').user, dryRun)).rejects.toThrow('another person');
    });

    it('is looked for only while nobody has approved the plan, and then nothing is deleted', async () => {
      await expect(by(undefined, true)).resolves.toBeDefined();
      await expect(by(undefined)).rejects.toMatchObject(protectedError);
      now = new Date('2026-01-01T13:00:01Z');
      await expect(by(undefined, true)).rejects.toThrow('approval of otto is too old');
    });
  });

  it('is given in one’s own name only', async () => {
    await expect(write(annotated({ [APPROVE]: 'olga' }), OTTO)).rejects.toMatchObject({ code: 'InvalidSpec' });
    const key = apiKey('team-a', 'admin');
    await expect(write(annotated({ [APPROVE]: key.user }), key)).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('of an administrator is no confirmation of their own deletion', async () => {
    await write(annotated({ [APPROVE]: 'anna' }), ANNA);
    await expect(remove(ANNA)).rejects.toMatchObject(protectedError);
    await expect(remove(OTTO)).resolves.toBeDefined();
  });

  it('is taken over by a later one', async () => {
    await write(annotated({ [APPROVE]: 'otto' }), OTTO);
    await write(annotated({ [APPROVE]: 'olga' }), OLGA);
    expect(live.metadata.annotations?.[APPROVED]).toBe('2026-01-01T12:00:00Z olga');
    await expect(remove(OTTO)).resolves.toBeDefined();
  });
});

describe('protection', () => {
  it.each([
    ['off', { deletionProtection: false }],
    ['out', {}],
  ])('is turned %s by administrators only', async (_how, spec) => {
    await expect(write(aCluster(spec), OTTO)).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(write(aCluster(spec), apiKey('team-a', 'operator'))).rejects.toMatchObject({ code: 'Forbidden' });
    await write(aCluster(spec), ANNA);
    await expect(remove(OTTO)).resolves.toBeDefined();
  });

  it('is turned on by everybody who may write', async () => {
    live = aCluster();
    await write(aCluster({ deletionProtection: true }), OTTO);
    await expect(remove(OTTO)).rejects.toMatchObject(protectedError);
  });

  it('cannot be got round by an owner that is deleted instead', async () => {
    const owner = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', name: 'other', uid: 'u' };
    const owned = { ...live, metadata: { ...live.metadata, ownerReferences: [owner] } };
    await expect(write(owned, ANNA)).rejects.toMatchObject({
      code: 'InvalidSpec',
      details: { causes: [{ field: 'metadata.ownerReferences' }] },
    });
  });

  describe('of policies, which an owner would get round,', () => {
    const owner = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', name: 'other', uid: 'u' };
    const ownedBy = (...owners: (typeof owner)[]): Cluster => {
      const unprotected = aCluster();
      return { ...unprotected, metadata: { ...unprotected.metadata, ownerReferences: owners } };
    };
    const refusal = { code: 'InvalidSpec', details: { causes: [{ field: 'metadata.ownerReferences' }] } };

    it.each([ANNA, OTTO, apiKey('team-a', 'operator')])('lets $user name no new owner', async (caller) => {
      live = aCluster();
      await expect(ask('CREATE', ownedBy(owner), caller)).rejects.toMatchObject(refusal);
      await expect(write(ownedBy(owner), caller)).rejects.toMatchObject(refusal);
      live = ownedBy(owner);
      await expect(write(ownedBy(owner, { ...owner, uid: 'v' }), caller)).rejects.toMatchObject(refusal);
    });

    it('leaves owners that it has, and platform administrators and services to name others', async () => {
      live = ownedBy(owner);
      expect(await ask('UPDATE', ownedBy(owner), OTTO)).toBeUndefined();
      expect(await ask('UPDATE', ownedBy(), OTTO)).toBeUndefined();
      for (const caller of [PLATFORM, { user: 'system:lifecycle', groups: [], service: 'lifecycle' }])
        expect(await ask('CREATE', ownedBy(owner), caller)).toBeUndefined();
    });
  });

  it('leaves other writes alone', async () => {
    expect(await ask('UPDATE', { ...live, spec: { ...live.spec, paused: true } }, OTTO)).toBeUndefined();
    expect(await ask('CREATE', live, OTTO)).toBeUndefined();
  });
});

describe('force', () => {
  const FORCE = 'lifecycle.crate.dev/force-deletion';
  const FORCED = 'lifecycle.crate.dev/deletion-forced';
  beforeEach(() => {
    live = deleting(aCluster());
  });

  it.each([
    ['an operator', OTTO],
    ['an operator key', apiKey('team-a', 'operator')],
    ['an administrator key of another Project', apiKey('team-b', 'admin')],
  ])('is refused to %s, with a reason code', async (_who, caller) => {
    await expect(write(annotated({ [FORCE]: 'closed' }), caller)).rejects.toMatchObject({
      code: 'Forbidden',
      details: { reason: 'ForceNeedsAdmin', remedy: expect.anything() as unknown },
    });
  });

  it('is recorded with who and when for an administrator', async () => {
    await write(annotated({ [FORCE]: 'the account is closed' }), ANNA);
    expect(live.metadata.annotations).toEqual({
      [FORCE]: 'the account is closed',
      [FORCED]: '2026-01-01T12:00:00Z anna',
    });
  });

  it.each([
    ['no reason', '  ', 'ForceNeedsReason'],
    ['a novel', 'x'.repeat(501), 'ForceNeedsReason'],
  ])('is refused with %s', async (_what, reason, code) => {
    await expect(write(annotated({ [FORCE]: reason }), ANNA)).rejects.toMatchObject({
      code: 'InvalidSpec',
      details: { reason: code, field: `metadata.annotations[${FORCE}]` },
    });
  });

  it('is refused while nobody asked for the deletion', async () => {
    live = aCluster();
    await expect(write(annotated({ [FORCE]: 'closed' }), ANNA)).rejects.toMatchObject({
      details: { reason: 'DeletionNotRequested' },
    });
  });

  it('cannot be written by hand as if the server had recorded it', async () => {
    await write(annotated({ [FORCED]: '2026-01-01T00:00:00Z anna' }), OTTO);
    expect(live.metadata.annotations).toBeUndefined();
  });

  it('does not keep others from writing once it is given', async () => {
    await write(annotated({ [FORCE]: 'closed' }), ANNA);
    now = new Date('2026-01-01T13:00:00Z');
    await write(annotated({ ...live.metadata.annotations, note: 'x' }), OTTO);
    expect(live.metadata.annotations).toMatchObject({ [FORCED]: '2026-01-01T12:00:00Z anna', note: 'x' });
  });
});
