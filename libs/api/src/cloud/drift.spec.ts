import { describe, expect, it } from '@jest/globals';
import { driftReportSchema, parseDriftDecision, type DriftReport, type DriftStatus } from './drift.js';
import { driftSummary, driftText } from './drift-text.js';

const DRIFT: DriftStatus = {
  since: '2026-11-21T10:00:00Z',
  digest: '0123456789ab',
  resources: [
    {
      address: 'aws_vpc.vpc',
      type: 'aws_vpc',
      id: 'vpc-1',
      kind: 'changed',
      attributes: [
        { path: 'enable_dns_support', wanted: true, found: false },
        { path: 'tags.b', found: 'x' },
        { path: 'key', wanted: '(sensitive value)', found: '(sensitive value)', isSensitive: true },
      ],
      omittedAttributes: 2,
    },
    { address: 'aws_instance.a', type: 'aws_instance', kind: 'missing', attributes: [] },
  ],
  omitted: 1,
  kept: [{ address: 'aws_lb.api', path: 'idle_timeout' }],
};

const REPORT: DriftReport = {
  apiVersion: 'cloud.crate.dev/v1alpha1',
  kind: 'DriftReport',
  metadata: { name: 'demo' },
  policy: 'hold',
  checkedAt: '2026-11-21T11:00:00Z',
  nextCheckAt: '2026-11-21T12:00:00Z',
  failures: 0,
  drift: DRIFT,
};

describe('driftSummary', () => {
  it('names what differs', () => {
    expect(driftSummary(DRIFT)).toBe(
      '3 resources differ: aws_vpc.vpc (enable_dns_support, tags.b, key), aws_instance.a is missing, 1 more',
    );
    expect(driftSummary({ ...DRIFT, resources: DRIFT.resources.slice(1), omitted: 0 })).toBe(
      '1 resource differs: aws_instance.a is missing',
    );
  });
});

describe('driftText', () => {
  it('is read at a terminal', () => {
    expect(driftText(driftReportSchema.parse(REPORT)))
      .toBe(`"demo" differs from what was applied since 2026-11-21T10:00:00Z
Compared 2026-11-21T11:00:00Z, next about 2026-11-21T12:00:00Z; policy: hold

  ~ aws_vpc.vpc (vpc-1)
      enable_dns_support  true -> false
      tags.b              (none) -> "x"
      key                 (sensitive value) -> (sensitive value)
      and 2 more attributes
  - aws_instance.a is missing
  and 1 more

Kept as found, and left alone:
  aws_lb.api idle_timeout

To put all of it back:    lifecycle.crate.dev/resolve-drift=correct-0123456789ab
To leave it as it is:     lifecycle.crate.dev/resolve-drift=keep-0123456789ab
`);
  });

  it.each([
    { name: 'nothing differs', given: {}, want: ['"demo" is as it was applied', 'policy: hold'] },
    { name: 'nobody looked yet', given: { checkedAt: undefined }, want: ['was not compared', 'Compared never'] },
    {
      name: 'nobody could look',
      given: { failures: 2, failure: { code: 'Throttled', message: 'Too many requests' } },
      want: ['The last 2 comparisons failed: Too many requests'],
    },
    {
      name: 'it is held',
      given: { held: { code: 'ImpactAboveCeiling', message: 'It would replace aws_instance.a' } },
      want: ['Not put back by itself: It would replace'],
    },
  ])('says that $name', ({ given, want }) => {
    const { drift: _, ...rest } = REPORT;
    for (const text of want) expect(driftText({ ...rest, ...given })).toContain(text);
  });

  it('offers no decision while everything is being put back', () => {
    const drift = { since: '2026-11-21T12:00:00Z', digest: '0123456789ab', resources: [], omitted: 0 };
    expect(driftText({ ...REPORT, drift })).not.toContain('resolve-drift');
  });
});

describe('parseDriftDecision', () => {
  it.each([
    ['correct-0123456789ab', { action: 'correct', digest: '0123456789ab' }],
    ['keep-0123456789ab', { action: 'keep', digest: '0123456789ab' }],
    ['keep', undefined],
    ['keep-0123', undefined],
    ['drop-0123456789ab', undefined],
    ['correct-0123456789ab\n', undefined],
    [undefined, undefined],
  ])('%s', (value, want) => {
    expect(parseDriftDecision(value)).toEqual(want);
  });
});
