import type { DriftStatus } from '@crate/api';
import type { DriftedResource } from '@crate/terraform';
import { describe, expect, it } from '@jest/globals';
import { driftStatusOf, keptDrift, putBack } from './found-drift-status.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const LATER = new Date('2026-11-21T13:00:00Z');
const LONG = 'x'.repeat(2_000);

const changed = (address: string, value: unknown = 'b'): DriftedResource => ({
  address,
  type: 'aws_vpc',
  id: 'vpc-1',
  kind: 'changed',
  attributes: [{ path: 'name', before: 'a', after: value }],
});
const missing: DriftedResource = { ...changed('aws_lb.api'), kind: 'missing', attributes: [], id: undefined };
const status = (found: readonly DriftedResource[], options: object = {}): DriftStatus | undefined =>
  driftStatusOf(found, { before: undefined, kept: [], now: NOW, ...options });

describe('driftStatusOf', () => {
  it('is nothing where nothing differs', () => {
    expect(status([])).toBeUndefined();
  });

  it('names what differs in a stable order, since when, and under a digest', () => {
    expect(status([changed('b'), missing, changed('a')])).toEqual({
      since: '2026-11-21T12:00:00Z',
      digest: expect.stringMatching(/^[0-9a-f]{12}$/),
      resources: [
        expect.objectContaining({ address: 'a', attributes: [{ path: 'name', wanted: 'a', found: 'b' }] }),
        { address: 'aws_lb.api', type: 'aws_vpc', kind: 'missing', attributes: [] },
        expect.objectContaining({ address: 'b' }),
      ],
      omitted: 0,
    });
  });

  it('stays the same for as long as the same is found, in whatever order', () => {
    const before = status([changed('a'), changed('b')]);
    expect(status([changed('b'), changed('a')], { before, now: LATER })).toEqual(before);
  });

  it('is another drift when other things differ, and when the same comes again after it was gone', () => {
    const before = status([changed('a')]);
    const other = status([changed('a', 'c')], { before, now: LATER });
    expect(other).toMatchObject({ since: '2026-11-21T13:00:00Z' });
    expect(other?.digest).not.toBe(before?.digest);
    expect(status([changed('a')], { now: LATER })?.digest).not.toBe(before?.digest);
  });

  it('is bounded, and says what it leaves out', () => {
    const many = Array.from({ length: 40 }, (_, index) => changed(`r${String(index).padStart(2, '0')}`));
    expect(status(many)).toMatchObject({ omitted: 10 });
    const large = status(Array.from({ length: 20 }, (_, index) => changed(`r${index}`, [LONG, LONG])));
    expect(JSON.stringify(large).length).toBeLessThan(20_000);
    const attributes = Array.from({ length: 100 }, (_, index) => ({ path: `p${index}`, after: LONG }));
    const huge = status([{ ...changed('a'), attributes }, changed('b')]);
    expect(huge).toMatchObject({ resources: [{ address: 'a', omittedAttributes: 80 }, { address: 'b' }], omitted: 0 });
  });

  it('shortens long values, and takes secrets out', () => {
    const redact = (text: string): string => text.replaceAll('hunter2', '***');
    const [resource] = status([changed('a', { key: 'hunter2' })], { redact })?.resources ?? [];
    expect(resource?.attributes).toEqual([{ path: 'name', wanted: 'a', found: '{"key":"***"}' }]);
    const found = status([changed('a', LONG)])?.resources[0]?.attributes[0]?.found;
    expect(found).toHaveLength(256);
  });

  it('keeps the mark of what is masked', () => {
    const attributes = [
      { path: 'key', before: '(sensitive value)', after: '(sensitive value)', isSensitive: true },
    ] as const;
    expect(status([{ ...changed('a'), attributes }])?.resources[0]?.attributes).toEqual([
      { path: 'key', wanted: '(sensitive value)', found: '(sensitive value)', isSensitive: true },
    ]);
  });
});

describe('keptDrift', () => {
  it('leaves attributes alone, and what is missing as it is', () => {
    const drift = status([changed('a'), missing])!;
    expect(keptDrift(drift, LATER)).toMatchObject({
      resources: [{ address: 'aws_lb.api', kind: 'missing' }],
      kept: [{ address: 'a', path: 'name' }],
    });
    const again = keptDrift(
      {
        ...drift,
        kept: [
          { address: 'a', path: 'name' },
          { address: 'c', path: 'x' },
        ],
      },
      LATER,
    );
    expect(again?.kept).toEqual([
      { address: 'a', path: 'name' },
      { address: 'c', path: 'x' },
    ]);
  });
});

describe('putBack', () => {
  it('forgets all but what is kept', () => {
    expect(putBack(undefined, NOW)).toBeUndefined();
    expect(putBack(status([changed('a')]), NOW)).toBeUndefined();
    const kept = keptDrift(status([changed('a')])!, NOW);
    expect(putBack(kept, LATER)).toEqual(kept);
    // As it comes back from a document store.
    const stored = { ...kept!, kept: [{ path: 'name', address: 'a' }] };
    expect(putBack(stored, LATER)).toEqual(kept);
  });
});
