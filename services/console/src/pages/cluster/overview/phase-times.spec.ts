import { describe, expect, it } from '@jest/globals';
import { aCluster, aCondition, aPhase } from '../testing/a-cluster.js';
import { phaseTimes } from './phase-times.js';

const at = (time: string): number => Date.parse(`2026-01-31T${time}Z`);

describe('the times of phases', () => {
  it('follow one another from the creation on', () => {
    expect([...phaseTimes(aCluster())]).toEqual([
      ['Policy', { begin: at('12:00:00'), end: at('12:00:00') }],
      ['Infrastructure', { begin: at('12:00:00'), end: at('12:00:17') }],
      ['Kubernetes', { begin: at('12:00:17'), end: at('12:00:22') }],
      ['Add-ons', { begin: at('12:00:22'), end: at('12:00:24') }],
    ]);
  });

  it('have no end while work is under way, and none at all before it began', () => {
    const phases = [aPhase('Policy', 'Done'), aPhase('Infrastructure', 'Running'), aPhase('Kubernetes', 'Pending')];
    const conditions = [aCondition('Ready', 'False', '12:00:00'), aCondition('PolicyCompliant', 'True', '12:00:03')];
    expect([...phaseTimes(aCluster({ phases, conditions }))]).toEqual([
      ['Policy', { begin: at('12:00:00'), end: at('12:00:03') }],
      ['Infrastructure', { begin: at('12:00:03') }],
    ]);
  });

  it('leave out what stood already when a later change began', () => {
    const phases = [aPhase('Policy', 'Done'), aPhase('Infrastructure', 'Done'), aPhase('Kubernetes', 'Running')];
    const conditions = [
      aCondition('Ready', 'False', '14:00:00'),
      aCondition('PolicyCompliant', 'True', '12:00:00'),
      aCondition('InfrastructureReady', 'True', '14:01:00'),
    ];
    const cluster = aCluster({ phases, conditions }, { metadata: { generation: 2 } });
    expect([...phaseTimes(cluster)]).toEqual([
      ['Infrastructure', { begin: at('14:00:00'), end: at('14:01:00') }],
      ['Kubernetes', { begin: at('14:01:00') }],
    ]);
  });

  it('leave out what could not be told for a while, and what came right after it', () => {
    const conditions = [
      aCondition('Ready', 'True', '12:00:24'),
      // Nobody could judge policies while the platform was restarted.
      aCondition('PolicyCompliant', 'True', '12:40:00'),
      aCondition('InfrastructureReady', 'True', '12:00:17'),
      aCondition('NodesReady', 'True', '12:00:22'),
      aCondition('AddOnsReady', 'True', '12:00:24'),
    ];
    expect([...phaseTimes(aCluster({ conditions }))]).toEqual([
      ['Kubernetes', { begin: at('12:00:17'), end: at('12:00:22') }],
      ['Add-ons', { begin: at('12:00:22'), end: at('12:00:24') }],
    ]);
  });

  it('are not made up for a change that is done: nobody kept when it began', () => {
    expect(phaseTimes(aCluster({}, { metadata: { generation: 2 } })).size).toBe(0);
  });

  it('of a deletion are known of its first phase only', () => {
    const deleted = { metadata: { deletionTimestamp: '2026-01-31T15:00:00Z' } };
    const first = [aPhase('Remove add-ons', 'Running'), aPhase('Remove Kubernetes', 'Pending')];
    expect([...phaseTimes(aCluster({ phases: first }, deleted))]).toEqual([
      ['Remove add-ons', { begin: at('15:00:00') }],
    ]);
    const second = [aPhase('Remove add-ons', 'Done'), aPhase('Remove Kubernetes', 'Running')];
    expect(phaseTimes(aCluster({ phases: second }, deleted)).size).toBe(0);
  });
});
