import { describe, expect, it } from '@jest/globals';
import { parseSamples, quantileOf, since, sumOfSamples } from './scrape.js';

const TEXT = `# HELP crate_reconcile_wait_seconds Time that a key was due before its pass began.
# TYPE crate_reconcile_wait_seconds histogram
crate_reconcile_wait_seconds_bucket{le="1",service="lifecycle",reconciler="cluster"} 50
crate_reconcile_wait_seconds_bucket{le="5",service="lifecycle",reconciler="cluster"} 100
crate_reconcile_wait_seconds_bucket{le="+Inf",service="lifecycle",reconciler="cluster"} 100
crate_reconcile_wait_seconds_bucket{le="1",service="cloud-mgmt",reconciler="infrastructure"} 0
crate_reconcile_wait_seconds_bucket{le="5",service="cloud-mgmt",reconciler="infrastructure"} 0
crate_reconcile_wait_seconds_bucket{le="+Inf",service="cloud-mgmt",reconciler="infrastructure"} 100
crate_reconcile_wait_seconds_count{service="cloud-mgmt",reconciler="infrastructure"} 100
process_cpu_seconds_total 1.5
`;
const WAIT = 'crate_reconcile_wait_seconds';

describe('what processes tell', () => {
  const samples = parseSamples(TEXT);

  it('is read with its labels, and without what only explains it', () => {
    expect(samples).toHaveLength(8);
    expect(samples.at(-1)).toEqual({ name: 'process_cpu_seconds_total', labels: {}, value: 1.5 });
    expect(sumOfSamples(samples, `${WAIT}_bucket`, { le: '1' })).toBe(50);
    expect(sumOfSamples(samples, `${WAIT}_count`, { reconciler: 'cluster' })).toBe(0);
  });

  it('is told of a while without what was before', () => {
    const all = sumOfSamples(samples, `${WAIT}_count`);
    expect(sumOfSamples(since(samples, [...samples, ...samples]), `${WAIT}_count`)).toBe(all);
    expect(quantileOf(since(samples, samples), WAIT, 0.5)).toBeNaN();
  });

  it.each([
    { reason: 'half way through the second bucket', quantile: 0.75, labels: { reconciler: 'cluster' }, want: 3 },
    { reason: 'the first bucket begins at none', quantile: 0.25, labels: { reconciler: 'cluster' }, want: 0.5 },
    { reason: 'nobody knows how far above the last bound', quantile: 0.99, labels: {}, want: 5 },
    { reason: 'there is nothing to tell', quantile: 0.5, labels: { reconciler: 'nobody' }, want: NaN },
  ])('gives quantiles of all processes together: $reason', ({ quantile, labels, want }) => {
    expect(quantileOf(samples, WAIT, quantile, labels)).toBe(want);
  });
});
