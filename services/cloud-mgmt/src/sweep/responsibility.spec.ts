import type { CloudAccount, Infrastructure } from '@crate/api';
import { OWNER_TAGS } from '@crate/infra-aws';
import { describe, expect, it } from '@jest/globals';
import { isResponsibleFor } from './responsibility.js';
import type { ListedResource, LiveOwner } from './sweep-world.js';

function anAccount(namespace: string, accountId = '111122223333', deletionTimestamp?: string): CloudAccount {
  const deletion = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  return {
    metadata: { name: 'main', namespace, uid: `${namespace}-${accountId}`, ...deletion },
    spec: { provider: 'aws', accountId },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  } as CloudAccount;
}

function rejected(account: CloudAccount): CloudAccount {
  return { ...account, status: { conditions: [{ type: 'Ready', status: 'False' }] } } as CloudAccount;
}

const [a, b, other] = [anAccount('team-a'), anAccount('team-b'), anAccount('team-c', '999999999999')];
const leaving = anAccount('team-0', '111122223333', '2026-01-01T00:00:00Z');

function aResource(project: string | undefined, uid = 'u1'): ListedResource {
  const tags = {
    [OWNER_TAGS.infrastructureUid]: uid,
    ...(project === undefined ? {} : { [OWNER_TAGS.project]: project }),
  };
  return { type: 'aws_vpc', id: 'vpc-1', importId: 'vpc-1', region: 'eu-west-1', tags };
}

function livingIn(namespace: string): ReadonlyMap<string, LiveOwner> {
  const infrastructure = { metadata: { namespace }, spec: { accountRef: { name: 'main' } } } as Infrastructure;
  return new Map([
    ['u1', { infrastructure, isHere: false, ownership: undefined, lastRunId: undefined, looksAnyway: false }],
  ]);
}

describe('isResponsibleFor', () => {
  it.each([
    { reason: 'its own Project has the account', resource: aResource('team-b'), live: new Map(), want: b },
    {
      reason: 'no Project of that name has it: the first one tells',
      resource: aResource('team-x'),
      live: new Map(),
      want: a,
    },
    { reason: 'it names no Project', resource: aResource(undefined), live: new Map(), want: a },
    {
      reason: 'its owner lives in a CloudAccount of the same account, which sees it too',
      resource: aResource('team-a'),
      live: livingIn('team-b'),
      want: undefined,
    },
    { reason: 'its owner lives elsewhere', resource: aResource('team-a'), live: livingIn('team-c'), want: a },
  ])('one of several CloudAccounts tells: $reason', ({ resource, live, want }) => {
    const accounts = [leaving, b, a, other];
    const tellers = [a, b].filter((account) => isResponsibleFor(account, { accounts, live })(resource));

    expect(tellers).toEqual(want ? [want] : []);
  });

  it.each([
    { reason: 'what a Project that is gone left is told by the next one', resource: aResource('team-x'), want: b },
    { reason: 'what is of its own Project is told to nobody else', resource: aResource('team-a'), want: a },
  ])('one whose credentials are refused does not look: $reason', ({ resource, want }) => {
    const accounts = [rejected(a), b];
    const tellers = accounts.filter((account) => isResponsibleFor(account, { accounts, live: new Map() })(resource));

    expect(tellers.map(({ metadata }) => metadata.uid)).toEqual([want.metadata.uid]);
  });

  it('of two in one Project, the one that can look tells', () => {
    const second = { ...b, metadata: { ...b.metadata, name: 'second', uid: 'second' } };
    const accounts = [rejected(b), second];
    const tellers = accounts.filter((account) =>
      isResponsibleFor(account, { accounts, live: new Map() })(aResource('team-b')),
    );

    expect(tellers).toEqual([second]);
  });
});
