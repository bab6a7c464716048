import { describe, expect, it } from '@jest/globals';
import { toTimestamp, type ComponentRollout } from '@crate/api';
import type { ComponentFacts } from './component.facts.js';
import { nextStep } from './component.step.js';
import { aComponent, aService, aSlot, NOW, someFacts } from './testing/a-component.js';

const BEGUN = { startedAt: '2026-11-22T11:50:00Z', since: '2026-11-22T11:59:00Z', generation: 1 };
const rollout = (changes: Partial<ComponentRollout>): ComponentRollout => ({
  ...{ from: '1.0.0', to: '1.1.0', step: 'Canary', ...BEGUN },
  ...changes,
});
const SPEC = { version: '1.1.0', strategy: { canarySoakSeconds: 30, soakSeconds: 60, progressDeadlineSeconds: 120 } };

/** An upgrade under way, with these slots and replicas. */
function underWay(
  under: Partial<ComponentRollout>,
  slots: readonly ReturnType<typeof aSlot>[],
  replicas: Parameters<typeof aService>[1],
  spec: object = {},
): ComponentFacts {
  return someFacts({
    component: aComponent('policy-mgmt', { spec: { ...SPEC, ...spec }, status: { rollout: rollout(under) } }),
    installation: { version: '1.0.0', slots, present: ['1.0.0', '1.1.0'] },
    service: aService('policy-mgmt', replicas),
  });
}

const OLD = aSlot('policy-mgmt', '1.0.0');
const CANARY = aSlot('policy-mgmt-2', '1.1.0', { isCanary: true });
const NEW = aSlot('policy-mgmt', '1.1.0');
const LONG_AGO = '2026-11-22T11:55:00Z';

describe('an upgrade', () => {
  it('begins with one more replica of the new version', () => {
    expect(nextStep(someFacts())).toMatchObject({
      installed: '1.0.0',
      rollout: { from: '1.0.0', to: '1.1.0', step: 'Canary', generation: 1 },
      wanted: { version: '1.0.0', next: { version: '1.1.0', stage: 'Canary' } },
    });
  });

  it.each<{ name: string; facts: ComponentFacts }>([
    { name: 'no version is asked for', facts: someFacts({ component: aComponent('policy-mgmt') }) },
    {
      name: 'the version is installed',
      facts: someFacts({ component: aComponent('policy-mgmt', { spec: { version: '1.0.0' } }) }),
    },
    {
      name: 'it is paused',
      facts: someFacts({ component: aComponent('policy-mgmt', { spec: { version: '1.1.0', paused: true } }) }),
    },
    {
      name: 'it has failed, and the spec is the same',
      facts: someFacts({
        component: aComponent('policy-mgmt', {
          spec: { version: '1.1.0' },
          status: { history: [{ from: '1.0.0', to: '1.1.0', outcome: 'RolledBack', generation: 1 }] },
        }),
      }),
    },
  ])('does not begin while $name', ({ facts }) => {
    expect(nextStep(facts)).toEqual({ installed: '1.0.0' });
  });

  it('is tried again when the spec was touched after a failure', () => {
    const history = [{ from: '1.0.0', to: '1.1.0', outcome: 'RolledBack', generation: 1 }];
    const component = aComponent('policy-mgmt', { spec: { version: '1.1.0' }, status: { history }, generation: 2 });
    expect(nextStep(someFacts({ component })).rollout).toMatchObject({ step: 'Canary', generation: 2 });
  });

  it.each<{ name: string; facts: ComponentFacts; want: object }>([
    {
      name: 'waits for its canary',
      facts: underWay({}, [OLD], ['1.0.0']),
      want: { rollout: { step: 'Canary' }, health: { reason: 'NotInstalled' } },
    },
    {
      name: 'waits for what the canary says itself, however well its process looks',
      facts: underWay({}, [OLD, CANARY], ['1.0.0']),
      want: { rollout: { step: 'Canary' }, health: { reason: 'NotReady' } },
    },
    {
      name: 'looks at the canary for a while',
      facts: underWay({ healthySince: '2026-11-22T11:59:31Z' }, [OLD, CANARY], ['1.0.0', '1.1.0']),
      want: { rollout: { step: 'Canary', healthySince: '2026-11-22T11:59:31Z' } },
    },
    {
      name: 'replaces the others after that',
      facts: underWay({ healthySince: '2026-11-22T11:59:30Z' }, [OLD, CANARY], ['1.0.0', '1.1.0']),
      want: { rollout: { step: 'Rolling' }, wanted: { next: { stage: 'All' } } },
    },
    {
      name: 'soaks when all are replaced',
      facts: underWay({ step: 'Rolling' }, [NEW, CANARY], ['1.1.0', '1.1.0']),
      want: { rollout: { step: 'Soaking', since: '2026-11-22T12:00:00Z' } },
    },
    {
      name: 'rolls on while one has the old version',
      facts: underWay({ step: 'Rolling' }, [OLD, CANARY], ['1.0.0', '1.1.0']),
      want: { rollout: { step: 'Rolling' }, health: { reason: 'NotInstalled' } },
    },
    {
      name: 'is done when all were well for as long as asked',
      facts: underWay({ step: 'Soaking', healthySince: LONG_AGO }, [NEW, CANARY], ['1.1.0', '1.1.0']),
      want: { installed: '1.1.0', ended: { outcome: 'Succeeded' }, wanted: { version: '1.1.0' } },
    },
    {
      name: 'is taken back when the new version does not become ready in time',
      facts: underWay({ since: LONG_AGO }, [OLD, CANARY], ['1.0.0', { version: '1.1.0', state: 'NotReady' }]),
      want: { rollout: { step: 'RollingBack', reason: 'NotReady' }, wanted: { version: '1.0.0' } },
    },
    {
      name: 'is given its time before that',
      facts: underWay({}, [OLD, CANARY], ['1.0.0', { version: '1.1.0', state: 'NotReady' }]),
      want: { rollout: { step: 'Canary' } },
    },
    {
      name: 'is taken back at once when the new version crashes again and again',
      facts: underWay({}, [OLD, { ...CANARY, isReady: false, restarts: 3, lastWords: 'No such table' }], ['1.0.0']),
      want: { rollout: { step: 'RollingBack', reason: 'Crashing', message: expect.stringMatching(/No such table/) } },
    },
    {
      name: 'is taken back also when all were replaced, and are not well',
      facts: underWay(
        { step: 'Soaking', since: LONG_AGO },
        [NEW, CANARY],
        ['1.1.0', { version: '1.1.0', state: 'Silent' }],
      ),
      want: { rollout: { step: 'RollingBack', reason: 'Silent' } },
    },
    {
      name: 'is taken back when nobody wants it any more',
      facts: underWay({}, [OLD, CANARY], ['1.0.0', '1.1.0'], { version: '1.0.0' }),
      want: { rollout: { step: 'RollingBack', reason: 'Withdrawn' } },
    },
    {
      name: 'goes back until all have the old version',
      facts: underWay({ step: 'RollingBack', reason: 'NotReady' }, [OLD, CANARY], ['1.0.0', '1.1.0']),
      want: { rollout: { step: 'RollingBack', reason: 'NotReady' }, wanted: { version: '1.0.0' } },
    },
    {
      name: 'has failed when they have it',
      facts: underWay({ step: 'RollingBack', reason: 'NotReady', message: 'So' }, [OLD], ['1.0.0']),
      want: { installed: '1.0.0', ended: { outcome: 'RolledBack', reason: 'NotReady', generation: 1 } },
    },
  ])('$name', ({ facts, want }) => {
    expect(nextStep(facts)).toMatchObject(want);
  });

  it.each([{ version: '1.0.0' }, { paused: true }])(
    'is done once the installer was told so, also with %j since',
    (spec) => {
      const facts = underWay({ step: 'Soaking', healthySince: LONG_AGO }, [], [], spec);
      const installation = { version: '1.1.0', slots: [NEW], present: ['1.1.0'], isUnderWay: false };
      const ended = { outcome: 'Succeeded', to: '1.1.0' };
      expect(nextStep({ ...facts, installation })).toMatchObject({ ended, wanted: { version: '1.1.0' } });
    },
  );

  it('names why a replica does not start, when it is known', () => {
    const slot = { ...CANARY, isReady: false, lastWords: 'ImagePullBackOff: Not there' };
    expect(nextStep(underWay({}, [OLD, slot], ['1.0.0'])).health).toMatchObject({
      reason: 'NotInstalled',
      message: 'policy-mgmt-2 is not ready with 1.1.0 yet: ImagePullBackOff: Not there',
    });
  });

  it.each(['Canary', 'Rolling', 'Soaking', 'RollingBack'] as const)(
    'stands still at %s while the installer cannot be asked, and counts no time as well',
    (step) => {
      const facts = underWay({ step, since: '2026-11-22T01:00:00Z', healthySince: LONG_AGO }, [], []);
      const trouble = { reason: 'InstallerUnreachable', message: 'Nobody answers' };
      expect(nextStep({ ...facts, installation: undefined, trouble })).toEqual({
        installed: '1.0.0',
        rollout: rollout({ step, since: '2026-11-22T01:00:00Z', heldSince: toTimestamp(NOW) }),
        gate: trouble,
      });
    },
  );

  it.each(['Canary', 'RollingBack'] as const)('stands still at %s until its installer was heard of', (step) => {
    const facts = { ...underWay({ step, since: LONG_AGO }, [], []), installation: undefined };
    expect(nextStep(facts)).toEqual({
      installed: '1.0.0',
      rollout: rollout({ step, since: LONG_AGO, heldSince: toTimestamp(NOW) }),
      gate: { reason: 'NoInstaller', message: expect.stringMatching(/not been heard of/) },
    });
  });

  it.each([
    { name: 'its installer was away', held: { trouble: { reason: 'InstallerUnreachable', message: 'Away' } } },
    { name: 'it was paused', held: {}, spec: { paused: true } },
  ])('counts no time as late in which $name', ({ held, spec }) => {
    const begun = { step: 'Rolling', since: '2026-11-22T11:59:00Z' } as const;
    const stopped = nextStep({ ...underWay(begun, [OLD], ['1.0.0'], spec), ...held });
    const now = new Date(NOW.getTime() + 3_600_000);
    const went = nextStep({ ...underWay(stopped.rollout ?? {}, [OLD], ['1.0.0']), now });

    expect(went.rollout).toEqual(rollout({ step: 'Rolling', since: '2026-11-22T12:59:00Z', remaining: 1 }));
    expect(nextStep({ ...underWay(begun, [OLD], ['1.0.0']), now }).rollout?.step).toBe('RollingBack');
  });

  it.each(['Canary', 'RollingBack'] as const)('gives way at %s to a version that somebody else installed', (step) => {
    const facts = underWay({ step }, [], []);
    const installation = { version: '1.2.0', slots: [], present: 'Fetched', setBy: 'helm' } as const;
    const ended = { outcome: 'RolledBack', reason: 'ChangedFromOutside', message: 'helm put 1.2.0 in its place' };
    const found = nextStep({ ...facts, installation });
    expect(found).toMatchObject({ installed: '1.2.0', ended, wanted: { version: '1.2.0' } });
    expect(found.rollout).toBeUndefined();
  });

  it.each(['Canary', 'RollingBack'] as const)('is over at %s when the version was put in all places', (step) => {
    const facts = underWay({ step, since: LONG_AGO }, [], []);
    const installation = { version: '1.1.0', slots: [NEW], present: ['1.1.0'] };
    const ended = { outcome: 'Succeeded', reason: 'ChangedFromOutside', message: 'Somebody put 1.1.0 in its place' };
    const found = nextStep({ ...facts, installation });
    expect(found).toMatchObject({ installed: '1.1.0', ended, wanted: { version: '1.1.0' } });
    expect(found.rollout).toBeUndefined();
  });

  it.each([undefined, '2026-11-22T11:58:00Z'])(
    'stands still since %s on its way back to a version that is gone',
    (heldSince) => {
      const held = {
        step: 'RollingBack',
        reason: 'Crashing',
        ...(heldSince === undefined ? {} : { heldSince }),
      } as const;
      const installation = { version: '1.1.0', slots: [NEW], present: ['1.1.0'], asked: '1.0.0' };
      expect(nextStep({ ...underWay(held, [], []), installation })).toEqual({
        installed: '1.0.0',
        rollout: rollout({ ...held, heldSince: heldSince ?? toTimestamp(NOW) }),
        gate: { reason: 'VersionGone', message: expect.stringMatching(/^1\.0\.0, .* put its folder back/) },
      });
    },
  );

  it.each<{ name: string; slots: readonly ReturnType<typeof aSlot>[] }>([
    { name: 'one of them is the canary', slots: [NEW, CANARY] },
    { name: 'another has the version before', slots: [NEW, aSlot('policy-mgmt-1', '1.0.0')] },
    { name: 'there is none', slots: [] },
  ])('goes on with the version in its place while $name', ({ slots }) => {
    const installation = { version: '1.1.0', slots, present: ['1.1.0'] };
    expect(nextStep({ ...underWay({}, [], []), installation }).rollout).toMatchObject({ step: 'Canary' });
  });

  it('leaves a version alone that was installed from outside after it had come to its end', () => {
    const history = [{ from: '0.9.0', to: '1.1.0', outcome: 'Succeeded', generation: 1 }];
    const component = aComponent('policy-mgmt', { spec: { version: '1.1.0' }, status: { history } });
    expect(nextStep(someFacts({ component }))).toEqual({ installed: '1.0.0' });
  });

  it.each(['Canary', 'Rolling', 'Soaking'] as const)('is not tried again for a change of the spec at %s', (step) => {
    const facts = underWay({ step, since: LONG_AGO }, [OLD, CANARY], ['1.0.0']);
    const { component } = facts;
    const touched = { ...component, metadata: { ...component.metadata, generation: 2 } };
    const { rollout: back } = nextStep({ ...facts, component: touched });
    expect(back).toMatchObject({ step: 'RollingBack', generation: 2 });

    const goingBack = { ...touched, status: { ...component.status, rollout: back } } as typeof component;
    const { ended } = nextStep({ ...underWay({}, [OLD], ['1.0.0']), component: goingBack });
    const failed = { ...touched, status: { history: [ended] } } as unknown as typeof component;
    expect(nextStep(someFacts({ component: failed }))).toEqual({ installed: '1.0.0' });
  });

  it('leaves what was put in its place alone, though the spec was changed before', () => {
    const facts = underWay({}, [], []);
    const component = { ...facts.component, metadata: { ...facts.component.metadata, generation: 2 } };
    const installation = { version: '1.2.0', slots: [], present: 'Fetched', setBy: 'helm' } as const;
    expect(nextStep({ ...facts, component, installation }).ended).toMatchObject({ generation: 2 });
  });

  it('is tried again for a change of the spec on its way back', () => {
    const facts = underWay({ step: 'RollingBack' }, [OLD], ['1.0.0']);
    const component = { ...facts.component, metadata: { ...facts.component.metadata, generation: 2 } };
    expect(nextStep({ ...facts, component }).ended).toMatchObject({ generation: 1 });
  });

  it('has a canary taken back that nobody remembers', () => {
    const installation = { version: '1.0.0', slots: [OLD, CANARY], present: 'Fetched', isUnderWay: true } as const;
    const wanted = { version: '1.0.0' };
    expect(nextStep(someFacts({ component: aComponent('policy-mgmt'), installation }))).toEqual({
      installed: '1.0.0',
      wanted,
    });
    const service = { ...aService('policy-mgmt', ['1.0.0']), state: 'Degraded' as const };
    expect(nextStep(someFacts({ installation, service }))).toMatchObject({ gate: { reason: 'NotHealthy' }, wanted });
  });

  /** Where an upgrade is that rolls a process from one entry to the next, each so many minutes after the one before. */
  function rolled(
    entries: readonly { readonly minutes: number; readonly ready: number }[],
  ): ComponentRollout | undefined {
    const strategy = { progressDeadlineSeconds: 600 };
    let at = NOW;
    let under: ComponentRollout | undefined = rollout({ step: 'Rolling', since: toTimestamp(NOW) });
    for (const { minutes, ready } of entries) {
      at = new Date(at.getTime() + minutes * 60_000);
      const slots = Array.from({ length: 6 }, (_, index) => (index < ready ? NEW : { ...OLD, isReady: false }));
      const versions = slots.map(({ version }) => version);
      under = nextStep({ ...underWay(under ?? {}, slots, versions, { strategy }), now: at }).rollout;
    }
    return under;
  }
  const ready = (...counts: number[]): { minutes: number; ready: number }[] =>
    counts.map((count) => ({ minutes: 9, ready: count }));

  it.each([
    { name: 'goes on while each comes in its time', entries: ready(1, 2, 3, 4, 5), step: 'Rolling' },
    { name: 'is taken back when the first does not come', entries: ready(0, 0), step: 'RollingBack' },
    { name: 'is taken back when a later one does not come', entries: ready(1, 2, 2, 2), step: 'RollingBack' },
    { name: 'gives none its time anew that goes and comes', entries: ready(1, 2, 1, 2), step: 'RollingBack' },
  ])('has its deadline for each process: $name', ({ entries, step }) => {
    const last = rolled(entries);
    expect(last?.step).toBe(step);
    expect(last?.remaining).toBe(step === 'Rolling' ? 1 : undefined);
  });

  it('stays where it is while paused, but goes back all the same', () => {
    const paused = { paused: true };
    const well = [OLD, CANARY] as const;
    expect(nextStep(underWay({ healthySince: LONG_AGO }, well, ['1.0.0', '1.1.0'], paused))).toEqual({
      installed: '1.0.0',
      rollout: rollout({ heldSince: toTimestamp(NOW) }),
      wanted: { version: '1.0.0', next: { version: '1.1.0', stage: 'Canary' } },
    });
    expect(nextStep(underWay({ step: 'RollingBack' }, [OLD], ['1.0.0'], paused)).ended?.outcome).toBe('RolledBack');
  });

  it.each(['Rolling', 'Soaking'] as const)('has those held who carry it out at %s while paused', (step) => {
    const wanted = { version: '1.0.0', next: { version: '1.1.0', stage: 'Held' } };
    const found = nextStep(underWay({ step }, [NEW, OLD], ['1.1.0', '1.0.0'], { paused: true }));
    expect(found).toMatchObject({ rollout: { step, heldSince: toTimestamp(NOW) }, wanted });
  });

  it('forgets that it was well when it is not any more', () => {
    const { rollout: after } = nextStep(underWay({ healthySince: LONG_AGO }, [OLD], ['1.0.0']));
    expect(after).toEqual(rollout({}));
  });
});

describe('before it begins, an upgrade', () => {
  const ONE = { version: '1.0.0', slots: [aSlot('lifecycle', '1.0.0')], present: 'Fetched' } as const;
  const driver = aComponent('lifecycle', { spec: { version: '1.1.0' } });
  const done = (name: string): ReturnType<typeof aComponent> =>
    aComponent(name, { spec: { version: '1.1.0' }, status: { installedVersion: '1.1.0' } });

  it.each<{ name: string; facts: Partial<ComponentFacts>; reason: string; message: RegExp }>([
    {
      name: 'waits for the installer to answer',
      facts: { installation: undefined, trouble: { reason: 'InstallerForbidden', message: 'May not' } },
      reason: 'InstallerForbidden',
      message: /May not/,
    },
    { name: 'waits for an installer', facts: { installation: undefined }, reason: 'NoInstaller', message: /heard of/ },
    {
      name: 'waits for the version to lie there',
      facts: { installation: { version: '1.0.0', slots: [], present: [] } },
      reason: 'NotAllowed',
      message: /1\.1\.0 does not lie/,
    },
    {
      name: 'waits while nobody vouches for the version any more',
      facts: { index: undefined },
      reason: 'NotAllowed',
      message: /no index/,
    },
    {
      name: 'waits for one under way, whichever that is',
      facts: { others: [aComponent('cluster-mgmt', { status: { rollout: rollout({}) } })] },
      reason: 'WaitingForOther',
      message: /cluster-mgmt is being upgraded/,
    },
    {
      name: 'waits for those before it',
      facts: {
        component: aComponent('cloud-mgmt', { spec: SPEC }),
        others: [aComponent('policy-mgmt', { spec: SPEC })],
      },
      reason: 'WaitingForOther',
      message: /policy-mgmt comes first/,
    },
    {
      name: 'waits, where it is that of lifecycle, for every other one',
      facts: { component: driver, others: [done('policy-mgmt'), aComponent('cloud-mgmt'), done('cluster-mgmt')] },
      reason: 'WaitingForOther',
      message: /cloud-mgmt has 1\.0\.0; lifecycle comes last/,
    },
    {
      name: 'waits, on the way back, for lifecycle',
      facts: {
        component: aComponent('policy-mgmt', { spec: { version: '1.0.0' }, status: { installedVersion: '1.1.0' } }),
        installation: { version: '1.1.0', slots: [], present: ['1.0.0'] },
        others: [done('lifecycle')],
      },
      reason: 'WaitingForOther',
      message: /lifecycle is newer than 1\.0\.0/,
    },
    {
      name: 'waits, where it is that of lifecycle, for another replica that could take it back',
      facts: {
        component: driver,
        others: [done('policy-mgmt')],
        installation: { ...ONE, isCanaryOneOfThem: true },
        service: aService('lifecycle', ['1.0.0']),
      },
      reason: 'SingleReplica',
      message: /needs 2 replicas/,
    },
    {
      name: 'waits until the service is well',
      facts: { service: { ...aService('policy-mgmt', ['1.0.0']), state: 'Degraded' } },
      reason: 'NotHealthy',
      message: /Degraded/,
    },
    {
      name: 'waits for its window',
      facts: {
        component: aComponent('policy-mgmt', {
          spec: { version: '1.1.0', maintenanceWindow: { start: '02:00', durationMinutes: 60 } },
        }),
      },
      reason: 'WaitingForWindow',
      message: /window/,
    },
  ])('$name', ({ facts, reason, message }) => {
    const step = nextStep(someFacts(facts));
    expect(step.gate).toMatchObject({ reason, message: expect.stringMatching(message) });
    expect([step.rollout, step.wanted]).toEqual([undefined, undefined]);
  });

  it.each<{ name: string; facts: Partial<ComponentFacts> }>([
    {
      name: 'one more is there for it',
      facts: { component: driver, others: [done('policy-mgmt')], installation: ONE },
    },
    {
      name: 'there are two',
      facts: {
        component: driver,
        others: [done('policy-mgmt')],
        installation: { ...ONE, slots: [...ONE.slots, aSlot('lifecycle-1', '1.0.0')], isCanaryOneOfThem: true },
      },
    },
    { name: 'lifecycle takes it back', facts: { installation: { ...ONE, isCanaryOneOfThem: true } } },
  ])('waits for no other replica where $name', ({ facts }) => {
    expect(nextStep(someFacts(facts)).rollout?.step).toBe('Canary');
  });

  it('says when its window opens', () => {
    const spec = { version: '1.1.0', maintenanceWindow: { start: '02:00', durationMinutes: 60 } };
    const { gate } = nextStep(someFacts({ component: aComponent('policy-mgmt', { spec }), now: NOW }));
    expect(gate?.opensAt).toEqual(new Date('2026-11-23T02:00:00Z'));
  });

  it('does not wait for one that has failed, or is paused', () => {
    const failed = aComponent('policy-mgmt', {
      spec: { version: '1.1.0' },
      status: { history: [{ from: '1.0.0', to: '1.1.0', outcome: 'RolledBack', generation: 1 }] },
    });
    const paused = aComponent('policy-mgmt', { spec: { version: '1.1.0', paused: true } });
    for (const other of [failed, paused]) {
      const component = aComponent('cloud-mgmt', { spec: { version: '1.1.0' } });
      expect(nextStep(someFacts({ component, others: [other] })).rollout?.step).toBe('Canary');
    }
  });
});
