import { describe, expect, it } from '@jest/globals';
import type { Caller } from '@crate/resource-client';
import { aFleetCluster } from '../testing/a-fleet.js';
import { FleetAccess, type Visible } from './fleet-access.js';
import { FleetIndex } from './fleet-index.js';
import { fleetPage } from './fleet-page.js';
import { parseFleetQuery } from './fleet-query.js';

const EVERYTHING = parseFleetQuery(new URLSearchParams('sort=project'));

function fleetOf(...projects: readonly string[]): FleetIndex {
  const index = new FleetIndex();
  for (const project of projects) index.put(aFleetCluster({ name: 'demo', project }));
  return index;
}

function remove(index: FleetIndex, project: string): void {
  index.remove(aFleetCluster({ name: 'demo', project }));
}

/** What somebody sees who is in every Project but looks after none of the platform, and which ones were asked about. */
async function look(index: FleetIndex): Promise<{ readonly visible: Visible; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const decide = (_: Caller, { namespace }: { readonly namespace?: string }): { readonly allowed: boolean } => {
    if (namespace !== undefined) asked.push(namespace);
    return { allowed: namespace !== undefined };
  };
  const access = new FleetAccess({ decide } as never, index.labels.project);
  return { visible: await access.visibleTo({ user: 'kim', groups: [] }, 'list'), asked };
}

function projectsOn(index: FleetIndex, visible: Visible): readonly string[] {
  return fleetPage(index, EVERYTHING, visible).rows.map(({ namespace }) => namespace);
}

function providersOn(index: FleetIndex): readonly string[] {
  return fleetPage(index, EVERYTHING, { key: '*' }).rows.map(({ provider }) => provider);
}

describe('FleetIndex', () => {
  it('asks about no Project that has no clusters any more', async () => {
    const index = fleetOf('team-a', 'team-b');
    index.put(aFleetCluster({ name: 'another', project: 'team-b' }));
    remove(index, 'team-a');
    remove(index, 'team-b');
    expect((await look(index)).asked).toEqual(['team-b']);
  });

  it('shows a Project that comes again to nobody who was asked about before that', async () => {
    const index = fleetOf('team-a', 'team-b');
    const { visible } = await look(index);
    remove(index, 'team-a');
    for (const project of ['team-c', 'team-a']) index.put(aFleetCluster({ name: 'demo', project }));
    expect(projectsOn(index, visible)).toEqual(['team-b']);
    expect(projectsOn(index, (await look(index)).visible)).toEqual(['team-a', 'team-b', 'team-c']);
  });

  it('counts a cluster once, however often it is told of', async () => {
    const index = fleetOf('team-a', 'team-a');
    remove(index, 'team-a');
    remove(index, 'team-a');
    index.put(aFleetCluster({ name: 'demo', project: 'team-a' }));
    expect((await look(index)).asked).toEqual(['team-a']);
    index.keepOnly(new Set());
    expect((await look(index)).asked).toEqual([]);
  });

  it('forgets where an account is that is gone', async () => {
    const index = fleetOf('team-a');
    const providers = (): readonly string[] => providersOn(index);
    index.setProvider('team-a', 'sandbox', 'aws');
    expect(providers()).toEqual(['aws']);
    remove(index, 'team-a');
    index.put(aFleetCluster({ name: 'demo', project: 'team-a' }));
    expect(providers()).toEqual(['aws']);
    remove(index, 'team-a');
    index.forgetAccount('team-a', 'sandbox');
    index.put(aFleetCluster({ name: 'demo', project: 'team-a' }));
    expect(providers()).toEqual(['']);
    index.setProvider('team-a', 'sandbox', 'gcp');
    expect(providers()).toEqual(['gcp']);
  });

  it('shows where an account is that was made anew elsewhere while a cluster named it', () => {
    const index = fleetOf('team-a');
    index.setProvider('team-a', 'sandbox', 'aws');
    index.forgetAccount('team-a', 'sandbox');
    expect(providersOn(index)).toEqual(['']);
    index.setProvider('team-a', 'sandbox', 'gcp');
    expect(providersOn(index)).toEqual(['gcp']);
  });
});
