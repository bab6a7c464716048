import { describe, expect, it } from '@jest/globals';
import { stateDiffText } from './state-diff-text.js';
import type { StateDiff } from './state-diff.js';

const side = (serial: number, lineage = 'a'): StateDiff['from'] => ({
  serial,
  lineage,
  terraformSerial: serial,
  createdAt: `2026-01-0${serial}T00:00:00Z`,
});
const diff: StateDiff = {
  apiVersion: 'cloud.crate.dev/v1alpha1',
  kind: 'StateDiff',
  metadata: { name: 'demo.2' },
  from: side(1),
  to: side(2),
  counts: { added: 1, removed: 1, changed: 1 },
  resources: [
    { address: 'aws_vpc.a', type: 'aws_vpc', name: 'a', action: 'added', changes: [{ path: 'id', after: 'vpc-1' }] },
    { address: 'aws_vpc.b', type: 'aws_vpc', name: 'b', action: 'removed', changes: [{ path: 'id', before: 'vpc-2' }] },
    {
      address: 'aws_x.c',
      type: 'aws_x',
      name: 'c',
      action: 'changed',
      changes: [
        { path: 'size', before: 1, after: 2 },
        { path: 'key', before: '(sensitive value)', after: '(sensitive value)', isSensitive: true },
      ],
    },
  ],
  omittedChanges: 3,
};

describe('stateDiffText', () => {
  it('is read from top to bottom', () => {
    expect(stateDiffText(diff)).toBe(`Version 1 (2026-01-01T00:00:00Z) -> version 2 (2026-01-02T00:00:00Z)

  + aws_vpc.a (added)
      id  "vpc-1"

  - aws_vpc.b (removed)
      id  "vpc-2"

  ~ aws_x.c (changed)
      size  1 -> 2
      key   (sensitive value, changed)

1 added, 1 removed, 1 changed
Attributes of 3 resources are left out
`);
  });

  it('warns of versions that have nothing to do with each other', () => {
    expect(stateDiffText({ ...diff, to: side(2, 'b'), omittedChanges: 0 })).toContain('different lineages');
  });
});
