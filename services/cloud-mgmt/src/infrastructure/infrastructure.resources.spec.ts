import { describe, expect, it } from '@jest/globals';
import type { Infrastructure } from '@crate/api';
import { infrastructureResources, resourcesReader } from './infrastructure.resources.js';

const vpc = { address: 'aws_vpc.vpc', type: 'aws_vpc', name: 'vpc', id: 'vpc-1', isTainted: false };
const node = { address: 'aws_instance.n', type: 'aws_instance', name: 'n', id: undefined, isTainted: false };
const attributes = [{ path: 'tags.Name', wanted: 'a', found: 'b' }];

function anInfrastructure(status: Partial<NonNullable<Infrastructure['status']>> = {}): Infrastructure {
  const metadata = { name: 'demo', namespace: 'team-a', uid: 'u' };
  return { metadata, spec: {}, status } as unknown as Infrastructure;
}

describe('resources of an Infrastructure', () => {
  it('are none before there is a state', () => {
    const { serial, resources } = infrastructureResources(anInfrastructure(), undefined);
    expect([serial, resources]).toEqual([undefined, []]);
  });

  it('each say how they stand', () => {
    const drift = {
      since: '2026-01-31T12:00:00Z',
      digest: 'd',
      omitted: 2,
      resources: [
        { address: 'aws_vpc.vpc', type: 'aws_vpc', kind: 'changed' as const, attributes },
        { address: 'aws_instance.n', type: 'aws_instance', kind: 'missing' as const, attributes: [] },
      ],
    };
    const facts = [vpc, { ...node, address: 'aws_subnet.s', isTainted: true }, node, { ...vpc, address: 'aws_eip.e' }];
    const known = infrastructureResources(anInfrastructure({ drift }), { serial: 7, facts });
    expect(known).toMatchObject({ serial: 7, comparedSince: '2026-01-31T12:00:00Z', omitted: 2 });
    expect(known.resources.map(({ health }) => health)).toEqual(['changed', 'tainted', 'missing', 'ok']);
    expect(known.resources[1]).not.toHaveProperty('id');
    expect(JSON.stringify(known)).not.toContain('tags.Name');
  });

  it('are those of the state that was stored last, never of an older one', async () => {
    const asked: unknown[] = [];
    const open = (...args: unknown[]): Promise<undefined> => Promise.resolve(void asked.push(args));
    await resourcesReader({ open })(anInfrastructure({ stateSerial: 9 }), {} as never, {} as never);
    expect(asked).toEqual([['u', 9]]);
  });
});
