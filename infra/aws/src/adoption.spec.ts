import { describe, expect, it } from '@jest/globals';
import { decideOwnership, typesOf, withRoomFor, type OwnedResource } from './adoption.js';
import { anInput } from './testing/an-input.js';
import { ownerTags } from './names.js';
import { synthesizeAwsCluster } from './synthesize.js';

const { document } = synthesizeAwsCluster(anInput());
const tags = ownerTags(anInput());

function owned(type: string, id: string, extra: Partial<OwnedResource> & { name?: string } = {}): OwnedResource {
  const { name, ...rest } = extra;
  return { type, id, importId: id, tags: name === undefined ? tags : { ...tags, Name: name }, ...rest };
}

describe('decideOwnership', () => {
  it('has nothing to say about what the state knows', () => {
    const managed = new Map([['aws_vpc.vpc', 'vpc-1']]);

    expect(decideOwnership({ document, owned: [owned('aws_vpc', 'vpc-1', { name: 'demo' })], managed })).toEqual({
      adoptions: [],
      duplicates: [],
      strays: [],
    });
  });

  it('adopts what was made for an address, and nothing more', () => {
    const machine = owned('aws_instance', 'i-1', { name: 'demo-workers-1' });

    expect(decideOwnership({ document, owned: [machine], managed: new Map() })).toEqual({
      adoptions: [{ to: 'aws_instance.demo-workers-1', id: 'i-1' }],
      duplicates: [],
      strays: [],
    });
  });

  it('calls the second of two a duplicate, and one whose place is taken', () => {
    const [first, second] = ['i-1', 'i-2'].map((id) => owned('aws_instance', id, { name: 'demo-workers-1' }));
    const third = owned('aws_instance', 'i-3', { name: 'demo-workers-0' });
    const holder = owned('aws_instance', 'i-0', { name: 'demo-workers-0' });
    const managed = new Map([['aws_instance.demo-workers-0', 'i-0']]);
    const decided = decideOwnership({ document, owned: [first!, second!, third, holder], managed });

    expect(decided.adoptions.map(({ id }) => id)).toEqual(['i-1']);
    expect(decided.duplicates.map(({ id }) => id)).toEqual(['i-2', 'i-3']);
    expect(decided.strays).toEqual([]);
  });

  it('adopts what stands where the state has something that is gone', () => {
    const machine = owned('aws_instance', 'i-3', { name: 'demo-workers-0' });
    const managed = new Map([['aws_instance.demo-workers-0', 'i-gone']]);

    expect(decideOwnership({ document, owned: [machine], managed })).toEqual({
      adoptions: [{ to: 'aws_instance.demo-workers-0', id: 'i-3', isReplacing: true }],
      duplicates: [],
      strays: [],
    });
  });

  it('calls a machine beyond the wanted number a stray', () => {
    const machine = owned('aws_instance', 'i-9', { name: 'demo-workers-9' });

    expect(decideOwnership({ document, owned: [machine], managed: new Map() }).strays).toEqual([machine]);
  });

  it.each([
    {
      name: 'route',
      want: { to: 'aws_route.private-default-route-0', id: 'rtb-1_0.0.0.0/0' },
      lost: owned('aws_route', 'r-rtb-1', { importId: 'rtb-1_0.0.0.0/0' }),
    },
    {
      name: 'association',
      want: { to: 'aws_route_table_association.private-subnet-0-routes', id: 'subnet-1/rtb-1' },
      lost: owned('aws_route_table_association', 'rtbassoc-1', { importId: 'subnet-1/rtb-1' }),
    },
    {
      name: 'role policy',
      want: { to: 'aws_iam_role_policy.control-plane-policy', id: 'role-1:kubernetes' },
      lost: owned('aws_iam_role_policy', 'role-1:kubernetes'),
    },
  ])('finds a $name, which takes no tags, by what it belongs to', ({ lost, want }) => {
    const table = owned('aws_route_table', 'rtb-1', { name: 'demo-private-0' });
    const managed = new Map([
      ['aws_subnet.private-subnet-0', 'subnet-1'],
      ['aws_iam_role.control-plane-role', 'role-1'],
    ]);

    expect(decideOwnership({ document, owned: [table, lost], managed }).adoptions).toContainEqual(want);
  });

  it('leaves registrations of targets alone: made anew they are the same', () => {
    const attachment = owned('aws_lb_target_group_attachment', 'tg,i-1,6443');

    expect(decideOwnership({ document, owned: [attachment], managed: new Map() })).toEqual({
      adoptions: [],
      duplicates: [],
      strays: [],
    });
  });
});

describe('withRoomFor', () => {
  it('gives each surplus resource an address of its own', () => {
    const surplus = [owned('aws_instance', 'i-2'), owned('aws_instance', 'i-3'), owned('aws_ebs_volume', 'vol-1')];
    const { document: wider, adoptions } = withRoomFor(document, surplus);
    const resources = wider['resource'] as Record<string, Record<string, unknown>>;

    expect(adoptions).toEqual([
      { to: 'aws_instance.surplus-0', id: 'i-2' },
      { to: 'aws_instance.surplus-1', id: 'i-3' },
      { to: 'aws_ebs_volume.surplus-2', id: 'vol-1' },
    ]);
    expect(Object.keys(resources['aws_instance'] ?? {})).toEqual(
      expect.arrayContaining(['demo-workers-0', 'surplus-0', 'surplus-1']),
    );
    expect(typesOf(wider).has('aws_ebs_volume')).toBe(true);
    expect(typesOf(document).has('aws_ebs_volume')).toBe(false);
  });
});
