import { describe, expect, it } from '@jest/globals';
import { aComponent, notUpToDate, takenBack } from '../testing/a-component.js';
import { COMPONENT_COLUMNS, componentRow, inOrder, phaseOf, whyOf } from './component-rows.js';

const NOW = new Date('2026-11-23T12:00:00Z');
const ROLLOUT = { from: '0.1.0', to: '0.2.0', step: 'Rolling', startedAt: '', since: '', generation: 1 };

function cells(component: Parameters<typeof componentRow>[0]): Record<string, unknown> {
  const row = componentRow(component, NOW).cells;
  return Object.fromEntries(COMPONENT_COLUMNS.map(({ name }, index) => [name, row[index]]));
}

describe('componentRow', () => {
  it('says what runs, what is wanted and what there is', () => {
    const availableVersions = [{ version: '0.3.0' }, { version: '0.2.0' }];
    const maintenanceWindow = { days: ['Sat', 'Sun'], start: '02:00', durationMinutes: 120 };
    const given = aComponent('lifecycle', {
      spec: { version: '0.2.0', maintenanceWindow },
      status: { availableVersions },
    });
    expect(cells(given)).toEqual({
      ...{ Name: 'lifecycle', Runs: '0.1.0', Wanted: '0.2.0', Available: '0.3.0', Phase: 'UpToDate', Ready: '1/1' },
      ...{ Age: '3d', Channel: 'stable', Window: 'Sat Sun 02:00 UTC, 2h', Why: '' },
    });
  });

  it('shows both versions while one takes the place of the other', () => {
    const replicas = [
      { version: '0.1.0', ready: 1, total: 1 },
      { version: '0.2.0', ready: 0, total: 1 },
    ];
    const progress = { step: 1, steps: 3, message: 'policy-mgmt-2 is not ready with 0.2.0 yet' };
    const given = aComponent('policy-mgmt', { status: { replicas, rollout: ROLLOUT, progress } });
    expect(cells(given)).toMatchObject({
      ...{ Runs: '0.1.0,0.2.0', Phase: 'Rolling', Ready: '1/2' },
      Why: 'policy-mgmt-2 is not ready with 0.2.0 yet',
    });
  });

  it('has a cell for one of which nothing is known yet', () => {
    const given = aComponent('lifecycle', { status: { installedVersion: undefined, replicas: [], conditions: [] } });
    expect(cells(given)).toMatchObject({ Runs: undefined, Phase: 'Unknown', Ready: '0/0' });
  });
});

describe('phaseOf and whyOf', () => {
  it.each([
    { name: 'waits', status: notUpToDate('WaitingForWindow', 'It waits'), want: ['WaitingForWindow', 'It waits'] },
    {
      name: 'failed',
      status: takenBack('It crashed'),
      want: ['RolledBack', '0.2.0 was taken back to 0.1.0: It crashed'],
    },
    {
      name: 'is up to date and not well',
      status: {
        conditions: [
          { type: 'UpToDate', status: 'True', reason: 'UpToDate', message: '' },
          { type: 'Ready', status: 'False', reason: 'Silent', message: 'Nobody answers' },
        ],
      },
      want: ['UpToDate', 'Nobody answers'],
    },
    {
      name: 'goes back',
      status: { ...notUpToDate('RollingBack', 'Back: it crashed'), rollout: { ...ROLLOUT, step: 'RollingBack' } },
      want: ['RollingBack', 'Back: it crashed'],
    },
  ])('tell of one that $name', ({ status, want }) => {
    const component = aComponent('lifecycle', { status });
    expect([phaseOf(component), whyOf(component)]).toEqual(want);
  });
});

describe('inOrder', () => {
  it('is that of upgrades', () => {
    const given = ['lifecycle', 'cluster-mgmt', 'policy-mgmt'].map((name) => aComponent(name));
    expect(inOrder(given).map(({ metadata }) => metadata.name)).toEqual(['policy-mgmt', 'cluster-mgmt', 'lifecycle']);
  });
});
