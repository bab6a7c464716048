import { describe, expect, it } from '@jest/globals';
import { brokenConventions, MOST_SERIES, shownMetrics } from './exposition.js';

const FINE = `# HELP crate_pass_seconds Duration.
# TYPE crate_pass_seconds histogram
crate_pass_seconds_bucket{le="1",service="a"} 1
crate_pass_seconds_bucket{le="+Inf",service="a"} 2
crate_pass_seconds_sum{service="a"} 3
crate_pass_seconds_count{service="a"} 2
# HELP crate_clusters Clusters.
# TYPE crate_clusters gauge
crate_clusters{health="Healthy"} 3
crate_clusters{health="Failing"} 0
`;

describe('the text of /metrics', () => {
  it('is read by metric, with the series of each', () => {
    const metrics = shownMetrics(FINE);
    expect([...metrics.keys()]).toEqual(['crate_pass_seconds', 'crate_clusters']);
    expect(metrics.get('crate_pass_seconds')).toMatchObject({ type: 'histogram', help: 'Duration.' });
    expect(metrics.get('crate_pass_seconds')?.series.size).toBe(1);
    expect(metrics.get('crate_clusters')?.series.size).toBe(2);
    expect(brokenConventions(metrics)).toEqual([]);
  });

  const many = Array.from({ length: MOST_SERIES + 1 }, (_, index) => `crate_clusters{cluster="c-${index}"} 1`).join(
    '\n',
  );
  it.each([
    { why: 'no HELP', text: '# TYPE crate_depth gauge\ncrate_depth 1', want: 'crate_depth has no HELP' },
    { why: 'no TYPE', text: '# HELP crate_depth x\ncrate_depth 1', want: 'crate_depth has no TYPE' },
    { why: 'a counter by another name', text: '# HELP crate_a x\n# TYPE crate_a counter', want: 'without _total' },
    {
      why: 'a gauge like a counter',
      text: '# HELP crate_a_total x\n# TYPE crate_a_total gauge',
      want: 'ends in _total',
    },
    { why: 'a histogram without unit', text: '# HELP crate_a x\n# TYPE crate_a histogram', want: 'without a unit' },
    { why: 'milliseconds', text: '# HELP crate_wait_ms x\n# TYPE crate_wait_ms gauge', want: 'base unit' },
    { why: 'too many series', text: `# HELP crate_clusters x\n# TYPE crate_clusters gauge\n${many}`, want: 'series' },
    {
      why: 'a uid',
      text: '# HELP crate_a x\n# TYPE crate_a gauge\ncrate_a{uid="0b0f8c1e-1111-4222-8333-444455556666"} 1',
      want: 'uid as a label',
    },
  ])('breaks the conventions by $why', ({ text, want }) => {
    expect(brokenConventions(shownMetrics(text))).toEqual([expect.stringContaining(want)]);
  });
});
