import { describe, expect, it } from '@jest/globals';
import type { Component } from '@crate/api';
import { aComponent, notUpToDate, takenBack } from '../testing/a-component.js';
import { endLine, isOver, outcomeOf, upgradeStage } from './upgrade-progress.js';

const TO = '0.2.0';
const rollout = { from: '0.1.0', to: TO, step: 'Canary', startedAt: '', since: '', generation: 1 };

const done = (name: string): Component => aComponent(name, { spec: { version: TO }, status: { installedVersion: TO } });
const waiting = (name: string): Component =>
  aComponent(name, { spec: { version: TO }, status: notUpToDate('WaitingForOther', 'lifecycle comes last') });
const moving = (name: string): Component => aComponent(name, { spec: { version: TO }, status: { rollout } });
const failed = (name: string): Component =>
  aComponent(name, { spec: { version: TO }, status: takenBack('It crashed') });
const elsewhere = (name: string): Component => aComponent(name, { spec: { version: '0.1.0' } });

describe('outcomeOf', () => {
  it.each<[string, Component, string]>([
    ['has it', done('lifecycle'), 'Done'],
    ['waits', waiting('lifecycle'), 'UnderWay'],
    ['is being upgraded', moving('lifecycle'), 'UnderWay'],
    ['failed with it', failed('lifecycle'), 'RolledBack'],
    ['is asked for another one by now', elsewhere('lifecycle'), 'Withdrawn'],
    [
      'failed with it before, and is asked anew',
      aComponent('lifecycle', { spec: { version: TO }, status: takenBack('It crashed'), generation: 3 }),
      'UnderWay',
    ],
  ])('of one that %s', (_name, component, want) => {
    expect(outcomeOf(component, TO)).toBe(want);
  });
});

describe('isOver', () => {
  it.each<{ reason: string; given: Component[]; want: boolean }>([
    { reason: 'all have it', given: [done('policy-mgmt'), done('lifecycle')], want: true },
    { reason: 'one is on its way', given: [done('policy-mgmt'), moving('lifecycle')], want: false },
    { reason: 'one waits for its turn', given: [done('policy-mgmt'), waiting('lifecycle')], want: false },
    {
      reason: 'the others go on beside one that failed',
      given: [failed('policy-mgmt'), waiting('cloud-mgmt'), waiting('lifecycle')],
      want: false,
    },
    {
      reason: 'lifecycle comes after one that failed, which is never',
      given: [failed('policy-mgmt'), done('cloud-mgmt'), waiting('lifecycle')],
      want: true,
    },
    {
      reason: 'on the way back nobody goes before lifecycle',
      given: [waiting('policy-mgmt'), failed('lifecycle')],
      want: true,
    },
    { reason: 'somebody wants something else', given: [elsewhere('policy-mgmt'), waiting('lifecycle')], want: true },
    {
      reason: 'others still go there when lifecycle is to stay',
      given: [waiting('policy-mgmt'), elsewhere('lifecycle')],
      want: false,
    },
  ])('$want: $reason', ({ given, want }) => {
    expect(isOver(given, TO)).toBe(want);
  });
});

describe('what a person reads', () => {
  it('says where each is, and what came of it', () => {
    expect(upgradeStage(done('lifecycle'), TO)).toEqual({ step: 3, steps: 3, message: 'Has 0.2.0' });
    expect(upgradeStage(waiting('lifecycle'), TO).message).toBe('WaitingForOther: lifecycle comes last');
    expect([done, failed, elsewhere, waiting].map((make) => endLine(make('lifecycle'), TO))).toEqual([
      'lifecycle has 0.2.0',
      'lifecycle: 0.2.0 was taken back to 0.1.0: It crashed',
      'lifecycle has 0.1.0: somebody set 0.1.0 meanwhile',
      'lifecycle has 0.1.0: lifecycle comes last',
    ]);
  });
});
