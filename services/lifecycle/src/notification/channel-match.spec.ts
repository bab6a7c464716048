import { describe, expect, it } from '@jest/globals';
import type { NotificationChannel } from '@crate/api';
import { selects, wants } from './channel-match.js';
import { tellingOf, type ToldEvent } from './telling.js';
import { aChannel, aFailure } from './testing/a-channel.js';

const told = tellingOf(aFailure()) as ToldEvent;
const internal = tellingOf(
  aFailure({
    metadata: { ...aFailure().metadata, labels: {} },
    involvedObject: { kind: 'Infrastructure', name: 'demo', namespace: 'team-a' },
  }),
) as ToldEvent;

const well = tellingOf(
  aFailure({ type: 'Normal', reason: 'Ready', message: 'The cluster is ready', related: undefined as never }),
) as ToldEvent;

interface Row {
  readonly reason: string;
  readonly spec?: object;
  readonly metadata?: Partial<NotificationChannel['metadata']>;
  readonly event?: ToldEvent;
  readonly want: boolean | 'after-trouble';
}

const rows: readonly Row[] = [
  { reason: 'it is bad enough', want: true },
  { reason: 'nobody asked for warnings', spec: { severities: ['Info', 'Critical'] }, want: false },
  { reason: 'another reason was asked for', spec: { match: { reasons: ['CapacityUnavailable'] } }, want: false },
  { reason: 'this reason was asked for', spec: { match: { reasons: ['QuotaExceeded'] } }, want: true },
  { reason: 'this kind was asked for', spec: { match: { kinds: ['Cluster'] } }, want: true },
  { reason: 'the kind of the part was asked for', spec: { match: { kinds: ['Infrastructure'] } }, want: true },
  { reason: 'another kind was asked for', spec: { match: { kinds: ['Plan'] } }, want: false },
  { reason: 'it is paused', spec: { paused: true }, want: false },
  { reason: 'it is in another Project', metadata: { namespace: 'team-b' }, want: false },
  { reason: 'it is being deleted', metadata: { deletionTimestamp: '2026-11-21T10:04:00Z' }, want: false },
  {
    reason: 'it happened before the channel was there',
    metadata: { creationTimestamp: '2026-11-21T10:05:01Z' },
    want: false,
  },
  { reason: 'it is of interest at the part alone', event: internal, want: false },
  {
    reason: 'it is of interest at the part alone, which was asked for',
    event: internal,
    spec: { match: { kinds: ['Infrastructure'] } },
    want: true,
  },
  { reason: 'the Cluster is well, and it hears of what is bad', event: well, want: 'after-trouble' },
  { reason: 'the Cluster is well, and it hears of all', event: well, spec: { severities: ['Info'] }, want: true },
  {
    reason: 'the Cluster is well, and it hears of another reason',
    event: well,
    spec: { match: { reasons: ['QuotaExceeded'] } },
    want: 'after-trouble',
  },
  {
    reason: 'the Cluster is well, and it hears of a part',
    event: well,
    spec: { severities: ['Critical', 'Info'], match: { kinds: ['Infrastructure'], reasons: ['QuotaExceeded'] } },
    want: 'after-trouble',
  },
  {
    reason: 'something else of the Cluster is told',
    event: { ...well, reason: 'NodesReady' },
    spec: { severities: ['Info'], match: { kinds: ['Infrastructure'] } },
    want: false,
  },
  { reason: 'a Cluster is not of the kind', event: well, spec: { match: { kinds: ['Plan'] } }, want: false },
  { reason: 'it is no trouble that a part has ended', event: { ...well, reason: 'NodesReady' }, want: false },
];

describe('a channel', () => {
  it.each(rows)('hears of it: $want, where $reason', ({ spec = {}, metadata = {}, event = told, want }) => {
    expect(wants(aChannel({ ...spec }, metadata), event)).toBe(want);
  });
});

describe('a selector of Clusters', () => {
  const labels = { stage: 'production', team: 'shop' };
  it.each([
    { reason: 'there is none', selector: undefined, labels: undefined, want: true },
    { reason: 'the Cluster is gone', selector: {}, labels: undefined, want: false },
    { reason: 'it asks for nothing', selector: {}, labels: {}, want: true },
    { reason: 'labels are as asked for', selector: { matchLabels: { stage: 'production' } }, labels, want: true },
    { reason: 'one is not', selector: { matchLabels: { stage: 'production', team: 'x' } }, labels, want: false },
    {
      reason: 'an expression does not hold',
      selector: { matchExpressions: [{ key: 'team', operator: 'NotIn' as const, values: ['shop'] }] },
      labels,
      want: false,
    },
    {
      reason: 'an expression without values holds',
      selector: { matchExpressions: [{ key: 'team', operator: 'Exists' as const }] },
      labels,
      want: true,
    },
  ])('selects: $want, where $reason', ({ selector, labels: given, want }) => {
    expect(selects(selector, given)).toBe(want);
  });
});
