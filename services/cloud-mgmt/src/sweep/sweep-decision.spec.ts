import type { Infrastructure, SweepFinding } from '@crate/api';
import { OWNER_TAGS } from '@crate/infra-aws';
import { describe, expect, it } from '@jest/globals';
import { decideSweep } from './sweep-decision.js';
import type { DeletedOwner, ListedResource, LiveOwner, SweepWorld } from './sweep-world.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const EARLIER = '2026-03-01T11:00:00Z';
const OURS = 'installation-1';

function aVpc(tags: Record<string, string> = {}, fields: Partial<ListedResource> = {}): ListedResource {
  const own = { [OWNER_TAGS.installation]: OURS, [OWNER_TAGS.infrastructureUid]: 'u1', Name: 'demo', ...tags };
  return { type: 'aws_vpc', id: 'vpc-1', importId: 'vpc-1', region: 'eu-west-1', tags: own, ...fields };
}

function anOwner(fields: Partial<LiveOwner> = {}): LiveOwner {
  const spec = { region: 'eu-west-1', accountRef: { name: 'main' }, clusterName: 'demo', machineGroups: [] };
  return {
    infrastructure: { metadata: { name: 'demo', uid: 'u1' }, spec } as unknown as Infrastructure,
    isHere: true,
    ownership: { adoptions: [], duplicates: [], strays: [] },
    lastRunId: 'run-1',
    looksAnyway: false,
    ...fields,
  };
}

const gone = (abandoned: readonly string[] = []): DeletedOwner => ({ record: 'demo-1', abandoned: new Set(abandoned) });

function aWorld(fields: Partial<SweepWorld> = {}): SweepWorld {
  return {
    installationId: OURS,
    listed: [aVpc()],
    live: new Map(),
    deleted: new Map(),
    unanswered: [],
    isResponsible: () => true,
    before: [],
    now: NOW,
    ...fields,
  };
}

const without = (resource: ListedResource, key: string): ListedResource => ({
  ...resource,
  tags: Object.fromEntries(Object.entries(resource.tags).filter(([name]) => name !== key)),
});

describe('decideSweep', () => {
  const own = aVpc();
  const rows: { reason: string; given: Partial<SweepWorld>; want: [string, string] | undefined }[] = [
    {
      reason: 'its owner lives and its state knows it',
      given: { live: new Map([['u1', anOwner()]]) },
      want: undefined,
    },
    {
      reason: 'its owner lives and works: what it makes just now is in no state yet',
      given: { live: new Map([['u1', anOwner({ ownership: undefined })]]) },
      want: undefined,
    },
    {
      reason: 'its owner lives and has a place for it',
      given: {
        live: new Map([
          [
            'u1',
            anOwner({ ownership: { adoptions: [{ to: 'aws_vpc.vpc', id: 'vpc-1' }], duplicates: [], strays: [] } }),
          ],
        ]),
      },
      want: ['adopt', 'NotInState'],
    },
    {
      reason: 'an adoption of another type with the same import id is not its own',
      given: {
        live: new Map([
          [
            'u1',
            anOwner({ ownership: { adoptions: [{ to: 'aws_subnet.a', id: 'vpc-1' }], duplicates: [], strays: [] } }),
          ],
        ]),
      },
      want: undefined,
    },
    {
      reason: 'it was made twice',
      given: { live: new Map([['u1', anOwner({ ownership: { adoptions: [], duplicates: [own], strays: [] } })]]) },
      want: ['remove', 'Duplicate'],
    },
    {
      reason: 'its owner lives and has no place for it: a restored spec may be older than the world',
      given: { live: new Map([['u1', anOwner({ ownership: { adoptions: [], duplicates: [], strays: [own] } })]]) },
      want: ['report', 'NoPlace'],
    },
    {
      reason: 'its owner lives in another region',
      given: { listed: [aVpc({}, { region: 'us-east-1' })], live: new Map([['u1', anOwner()]]) },
      want: ['report', 'OwnerElsewhere'],
    },
    {
      reason: 'its owner lives in another account',
      given: { live: new Map([['u1', anOwner({ isHere: false })]]) },
      want: ['report', 'OwnerElsewhere'],
    },
    {
      reason: 'its owner is proven gone',
      given: { deleted: new Map([['u1', gone()]]) },
      want: ['remove', 'OwnerDeleted'],
    },
    {
      reason: 'an owner that lives is not gone, whatever a record says: records are written before the last step',
      given: { live: new Map([['u1', anOwner()]]), deleted: new Map([['u1', gone()]]) },
      want: undefined,
    },
    {
      reason: 'a person said that it may stay',
      given: { deleted: new Map([['u1', gone(['vpc-1'])]]) },
      want: ['report', 'LeftBehind'],
    },
    {
      reason: 'nobody taught us how to remove its type',
      given: { listed: [aVpc({}, { type: 'rds/db' })], deleted: new Map([['u1', gone()]]) },
      want: ['report', 'TypeUnknown'],
    },
    { reason: 'absence of its owner proves nothing', given: {}, want: ['report', 'OwnerUnknown'] },
    {
      reason: 'without an installation even a record of its owner is no proof',
      given: { listed: [without(own, OWNER_TAGS.installation)], deleted: new Map([['u1', gone()]]) },
      want: ['report', 'InstallationUnknown'],
    },
    {
      reason: 'an owner that lives is enough: older versions wrote no installation',
      given: { listed: [without(own, OWNER_TAGS.installation)], live: new Map([['u1', anOwner()]]) },
      want: undefined,
    },
    {
      reason: 'another installation made it',
      given: { listed: [aVpc({ [OWNER_TAGS.installation]: 'theirs' })], deleted: new Map([['u1', gone()]]) },
      want: undefined,
    },
    {
      reason: 'it does not even say whose it is',
      given: { listed: [without(own, OWNER_TAGS.infrastructureUid)] },
      want: ['report', 'OwnerUnknown'],
    },
    {
      reason: 'another CloudAccount tells of it',
      given: { deleted: new Map([['u1', gone()]]), isResponsible: () => false },
      want: undefined,
    },
  ];

  it.each(rows)('$want: $reason', ({ given, want }) => {
    const { findings } = decideSweep(aWorld(given));

    expect(findings.map(({ decision, reason }) => [decision, reason])).toEqual(want ? [want] : []);
    for (const { message } of findings) expect(message).toMatch(/^[A-Z].*[^.]$/);
  });

  it('counts what is other installations’, and says nothing else about it', () => {
    const listed = [aVpc(), aVpc({ [OWNER_TAGS.installation]: 'theirs' }, { id: 'vpc-2' })];

    expect(decideSweep(aWorld({ listed }))).toMatchObject({ own: 1, others: 1, findings: [{ id: 'vpc-1' }] });
  });

  it('tells what is listed in every region once', () => {
    const role = aVpc({}, { type: 'aws_iam_role', id: 'r', region: 'global' });

    expect(decideSweep(aWorld({ listed: [role, role] })).findings).toHaveLength(1);
  });

  describe('over time', () => {
    const first = decideSweep(aWorld({ deleted: new Map([['u1', gone()]]), now: new Date(EARLIER) })).findings;

    it('remembers since when', () => {
      expect(first[0]?.since).toBe(EARLIER);
      expect(decideSweep(aWorld({ deleted: new Map([['u1', gone()]]), before: first })).findings).toEqual(first);
    });

    it('begins anew when the verdict is another one', () => {
      const before = first.map((finding): SweepFinding => ({ ...finding, decision: 'report', reason: 'OwnerUnknown' }));

      expect(decideSweep(aWorld({ deleted: new Map([['u1', gone()]]), before })).findings[0]?.since).toBe(
        '2026-03-01T12:00:00Z',
      );
    });

    it('asks no owner for what lies where nobody answers, however its last run went', () => {
      const before = first.map((finding): SweepFinding => ({ ...finding, askedAfter: 'run-1' }));
      const unanswered = [{ place: 'eu-west-1', message: 'Silent', isRefused: false }];

      expect(decideSweep(aWorld({ listed: [], unanswered, before })).kept).toEqual(first);
    });

    it.each([
      { reason: 'nobody has run since', lastRunId: 'run-1', want: 'run-1' },
      { reason: 'a run has left it as it was', lastRunId: 'run-2', want: undefined },
    ])('keeps that its owner was asked: $reason', ({ lastRunId, want }) => {
      const ownership = { adoptions: [{ to: 'aws_vpc.vpc', id: 'vpc-1' }], duplicates: [], strays: [] };
      const live = new Map([['u1', anOwner({ ownership, lastRunId })]]);
      const [found] = decideSweep(aWorld({ live })).findings;
      const before = [{ ...found!, askedAfter: 'run-1' }];

      expect(decideSweep(aWorld({ live, before })).findings[0]?.askedAfter).toBe(want);
    });
  });
});
