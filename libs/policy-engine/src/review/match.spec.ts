import { describe, expect, it } from '@jest/globals';
import type { PolicyReviewRequest, PolicySpec } from '@crate/api';
import { NAMED_DEMO } from '../testing/a-policy.js';
import { fits, matches } from './match.js';

type Match = PolicySpec['match'];

function isMatch(match: Partial<Match>, request: Partial<PolicyReviewRequest> = {}): boolean {
  const spec = { ...NAMED_DEMO, match: { stages: ['Manifest' as const], ...match } };
  const document = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { labels: { tier: 'web' } } };
  return matches(spec, { stage: 'Manifest', document, subject: { namespace: 'team-a', name: 'demo' }, ...request });
}

describe('matches', () => {
  const subject = { namespace: 'team-a', name: 'demo', provider: 'aws', engine: 'rke', labels: { env: 'prod' } };

  const there = { subject: { ...subject, engine: 'existing' } };

  it.each<[string, Partial<Match>, Partial<PolicyReviewRequest>, boolean]>([
    ['its stage', {}, {}, true],
    ['another stage', { stages: ['ClusterSpec'] }, {}, false],
    ['a change, unless it says else', {}, { operation: 'CREATE' }, true],
    ['no deletion, unless it says so', {}, { operation: 'DELETE' }, false],
    ['a deletion, when it says so', { operations: ['DELETE'] }, { operation: 'DELETE' }, true],
    ['what is there already as a change', { operations: ['CREATE'] }, {}, false],
    ['a kind', { kinds: ['Deployment'] }, {}, true],
    ['another kind', { kinds: ['Pod'] }, {}, false],
    ['a kind of a group', { kinds: ['apps/Deployment'] }, {}, true],
    ['a kind of another group', { kinds: ['batch/Deployment'] }, {}, false],
    ['every kind of a group', { kinds: ['apps/*'] }, {}, true],
    ['a Project', { projects: ['team-a'] }, {}, true],
    ['a family of Projects', { projects: ['team-*'] }, {}, true],
    ['another family', { projects: ['prod-*'] }, {}, false],
    ['no Project that is left out', { excludeProjects: ['*-a'] }, {}, false],
    ['a label of the object', { labels: { matchLabels: { tier: 'web' } } }, {}, true],
    ['another label', { labels: { matchLabels: { tier: 'db' } } }, {}, false],
    ['a label of the cluster', { labels: { matchLabels: { env: 'prod' } } }, { subject }, true],
    [
      'a label of the cluster that the object says of itself otherwise',
      { labels: { matchLabels: { env: 'prod' } } },
      { subject, document: { kind: 'Deployment', metadata: { labels: { env: 'test' } } } },
      true,
    ],
    ['labels of which one has each some', { labels: { matchLabels: { env: 'prod', tier: 'web' } } }, { subject }, true],
    [
      'no cluster that is left out, whatever the object says',
      { labels: { matchExpressions: [{ key: 'env', operator: 'NotIn', values: ['prod'] }] } },
      { subject, document: { kind: 'Deployment', metadata: { labels: { env: 'test' } } } },
      false,
    ],
    [
      'a cluster that is not left out, whatever the object says',
      { labels: { matchExpressions: [{ key: 'env', operator: 'NotIn', values: ['test'] }] } },
      { subject, document: { kind: 'Deployment', metadata: { labels: { env: 'test' } } } },
      true,
    ],
    [
      'labels by expressions',
      {
        labels: {
          matchExpressions: [
            { key: 'tier', operator: 'In', values: ['web', 'db'] },
            { key: 'tier', operator: 'NotIn', values: ['db'] },
            { key: 'tier', operator: 'Exists' },
            { key: 'gone', operator: 'DoesNotExist' },
          ],
        },
      },
      {},
      true,
    ],
    ['no label that is not there', { labels: { matchExpressions: [{ key: 'x', operator: 'Exists' }] } }, {}, false],
    ['a provider', { providers: ['aws'] }, { subject }, true],
    ['another provider', { providers: ['azure'] }, { subject }, false],
    ['who does not say which provider', { providers: ['azure'] }, {}, true],
    ['another engine', { engines: ['rke2'] }, { subject }, false],
    ['the spec of no cluster that was there', { stages: ['ClusterSpec'] }, { stage: 'ClusterSpec', ...there }, false],
    [
      'the spec of one, when it names it',
      { stages: ['ClusterSpec'], engines: ['existing'] },
      { stage: 'ClusterSpec', ...there },
      true,
    ],
    ['what enters such a cluster', {}, there, true],
  ])('matches %s', (_, match, request, want) => {
    expect(isMatch(match, request)).toBe(want);
  });
});

describe('fits', () => {
  it.each([
    ['a', 'a', true],
    ['a', 'ab', false],
    ['a*', 'ab', true],
    ['*b*', 'abc', true],
    ['a.c', 'abc', false],
    ['a.*', 'abc', false],
    ['nodePools[*].name', 'nodePools[3].name', true],
    ['ab*ba', 'aba', false],
    ['ab*ba', 'abba', true],
    ['a*b*c', 'axbxbxc', true],
    ['a*b*b', 'axb', false],
    ['a**c', 'abc', true],
    ['*', '', true],
    ['', '', true],
    ['*a*', 'b', false],
  ])('%s of %s: %s', (pattern, name, want) => {
    expect(fits(pattern, name)).toBe(want);
  });

  it('is done at once with a pattern that is made to take long', () => {
    // Tried in every way it would take longer than anybody waits for.
    expect(fits(`${'*a'.repeat(120)}*b*`, 'a'.repeat(500))).toBe(false);
  });
});
