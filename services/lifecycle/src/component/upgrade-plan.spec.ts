import { describe, expect, it } from '@jest/globals';
import { upgradePlanSchema, type UpgradePlan } from '@crate/api';
import type { ComponentFacts } from './component.facts.js';
import { aComponent, aService, aSlot, INDEX, NOW } from './testing/a-component.js';
import { newestVersion, upgradePlan } from './upgrade-plan.js';

const OLDER = { version: '0.9.0', channel: 'stable', releasedAt: '2026-10-01T00:00:00Z', isSecurity: false } as const;
const OLD_THERE = { version: '1.0.0', slots: [], present: ['0.9.0'] };

type Given = Readonly<Record<string, Parameters<typeof aComponent>[1]>>;

/** All four on 1.0.0 and well, with 1.1.0 there; what is given is otherwise. */
function platform(given: Given = {}, changes: Partial<ComponentFacts> = {}): readonly ComponentFacts[] {
  const names = ['cluster-mgmt', 'lifecycle', 'policy-mgmt', 'cloud-mgmt'];
  const all = names.map((name) => aComponent(name, given[name]));
  return all.map((component) => {
    const { name } = component.metadata;
    const version = component.status?.installedVersion ?? '1.0.0';
    return {
      component,
      others: all.filter((other) => other !== component),
      installation: { version, slots: [aSlot(name, version)], present: ['1.0.0', '1.1.0'] },
      service: aService(name, [version]),
      index: INDEX,
      now: NOW,
      ...changes,
    };
  });
}

function plan(components: readonly ComponentFacts[], to = '1.1.0', hasInstaller = true): UpgradePlan {
  return upgradePlanSchema.parse(upgradePlan(to, { components, hasInstaller, now: NOW }));
}

const ways = ({ steps }: UpgradePlan): readonly string[] =>
  steps.map(({ component, action }) => `${component} ${action}`);
const problems = ({ steps }: UpgradePlan): readonly string[] => [
  ...new Set(steps.flatMap((step) => step.problems.map(({ reason, effect }) => `${reason} ${effect}`))),
];

describe('upgradePlan', () => {
  it('goes through all of them, lifecycle last, and says what happens at each', () => {
    const found = plan(platform());
    expect(ways(found)).toEqual([
      'policy-mgmt Upgrade',
      'cloud-mgmt Upgrade',
      'cluster-mgmt Upgrade',
      'lifecycle Upgrade',
    ]);
    expect(found).toMatchObject({
      to: '1.1.0',
      oldest: '1.0.0',
      release: { upgradeFrom: '1.0.0', downgradeTo: '1.0.0' },
    });
    expect(found.steps[0]?.moves.map(({ step, atLeastSeconds }) => [step, atLeastSeconds])).toEqual([
      ['Canary', 60],
      ['Rolling', 0],
      ['Soaking', 60],
    ]);
    expect(found.steps[0]?.moves[0]?.message).toMatch(/schema up to date, by adding only/);
    expect(problems(found)).toEqual([]);
  });

  it('goes back in the order in which services may meet, lifecycle first', () => {
    const on = { status: { installedVersion: '1.1.0' } };
    const all = platform({ 'policy-mgmt': on, 'cloud-mgmt': on, 'cluster-mgmt': on, lifecycle: on });
    const found = plan(all, '1.0.0');
    expect(ways(found)[0]).toBe('lifecycle Downgrade');
    expect(found.steps[0]?.moves[0]?.message).toMatch(/leaves the schema as it is/);
    expect(problems(found)).toEqual([]);
  });

  it('leaves alone what has it, and goes on with what is on its way', () => {
    const rollout = { from: '1.0.0', to: '1.1.0', step: 'Rolling', startedAt: '', since: '', generation: 1 };
    const found = plan(
      platform({ 'policy-mgmt': { status: { installedVersion: '1.1.0' } }, 'cloud-mgmt': { status: { rollout } } }),
    );
    expect(ways(found).slice(0, 2)).toEqual(['policy-mgmt Stay', 'cloud-mgmt GoOn']);
    expect(found.steps.map(({ moves }) => moves.map(({ step }) => step)).slice(0, 2)).toEqual([
      [],
      ['Rolling', 'Soaking'],
    ]);
  });

  it.each<{
    name: string;
    reason: string;
    given: readonly ComponentFacts[];
    to?: string;
    hasInstaller?: boolean;
    want: string;
  }>([
    {
      name: 'a version that nobody signed',
      reason: 'admission would refuse it, and the plan has to say so before',
      given: platform(),
      to: '1.2.0',
      want: 'NotSigned Refused',
    },
    {
      name: 'no index',
      reason: 'nobody knows what may be installed',
      given: platform({}, { index: undefined }),
      want: 'NoReleaseIndex Refused',
    },
    {
      name: 'a release that does not lie there',
      reason: 'the installer would look for it in vain',
      given: platform({}, { installation: { version: '1.0.0', slots: [], present: [] } }),
      want: 'NotPresent Refused',
    },
    {
      name: 'a way back that schemas do not allow',
      reason: '1.0.0 says nothing of a way back',
      given: platform({}, { index: { ...INDEX, releases: [...INDEX.releases, OLDER] }, installation: OLD_THERE }),
      to: '0.9.0',
      want: 'NoWayBack Refused',
    },
    {
      name: 'versions that are installed from outside',
      reason: 'on Kubernetes the chart does it',
      given: platform({}, { installation: undefined }),
      hasInstaller: false,
      want: 'InstalledFromOutside Refused',
    },
    {
      name: 'an installer that is silent',
      reason: 'the wish is taken, and begins when crate up runs again',
      given: platform({}, { installation: undefined }),
      want: 'NoInstaller Waits',
    },
    {
      name: 'a single replica of lifecycle',
      reason: 'a version of it that does not start could not be taken back',
      given: platform({}, { installation: { ...OLD_THERE, present: 'Fetched', isCanaryOneOfThem: true } }),
      want: 'SingleReplica Waits',
    },
    {
      name: 'a service that is not well',
      reason: 'nobody could tell what the upgrade did to it',
      given: platform({}, { service: undefined }),
      want: 'NotHealthy Waits',
    },
    {
      name: 'a component that is paused',
      reason: 'no upgrade of it begins',
      given: platform({ 'cloud-mgmt': { spec: { paused: true } } }),
      want: 'Paused Waits',
    },
    {
      name: 'a maintenance window that is closed',
      reason: 'it is noon, and the window opens at two',
      given: platform({ lifecycle: { spec: { maintenanceWindow: { start: '02:00', durationMinutes: 60 } } } }),
      want: 'WaitingForWindow Waits',
    },
    {
      name: 'another upgrade that is under way',
      reason: 'it goes back before it goes elsewhere',
      given: platform({
        'policy-mgmt': {
          status: { rollout: { from: '1.0.0', to: '1.3.0', step: 'Canary', startedAt: '', since: '', generation: 1 } },
        },
      }),
      want: 'UnderWay Waits',
    },
  ])('names $name, with what to do', ({ given, to, hasInstaller, want }) => {
    const found = plan(given, to, hasInstaller);
    expect(problems(found)).toEqual([want]);
    const said = found.steps.flatMap((step) => step.problems);
    expect(said.filter(({ message, remedy }) => message === '' || remedy === '')).toEqual([]);
  });

  it('says where a version has failed before', () => {
    const history = [{ from: '1.0.0', to: '1.1.0', startedAt: '', endedAt: '', outcome: 'RolledBack', generation: 1 }];
    const found = plan(platform({ 'cloud-mgmt': { status: { history } } }));
    expect(found.steps.map(({ hasFailed }) => hasFailed)).toEqual([false, true, false, false]);
  });
});

describe('newestVersion', () => {
  it.each<{ name: string; given: readonly ComponentFacts[]; want: string | undefined }>([
    { name: 'is offered to all of them', given: platform(), want: '1.1.0' },
    {
      name: 'is the same when some have it already',
      given: platform({ 'policy-mgmt': { status: { installedVersion: '1.1.0' } } }),
      want: '1.1.0',
    },
    { name: 'is what they have when nothing is offered', given: platform({}, { index: undefined }), want: '1.0.0' },
    {
      name: 'is not known while nobody says what runs',
      given: platform({}, { installation: undefined, service: undefined }).map((facts) => ({
        ...facts,
        component: { ...facts.component, status: {} } as ComponentFacts['component'],
      })),
      want: undefined,
    },
  ])('$name', ({ given, want }) => {
    expect(newestVersion(given)).toBe(want);
  });
});
