import { describe, expect, it } from '@jest/globals';
import { metricsIn, withoutVariables } from './promql.js';

describe('metrics that an expression names', () => {
  it.each([
    { expr: 'sum(rate(crate_a_seconds_bucket{le="crate_no_metric"}[5m]))', want: ['crate_a_seconds'] },
    { expr: 'crate_a / on(slo) crate:slo_x:ratio', want: ['crate_a'] },
    {
      expr: 'min by (x) ({__name__=~"crate_(api|nats)_expiry_seconds"})',
      want: ['crate_api_expiry_seconds', 'crate_nats_expiry_seconds'],
    },
    {
      expr: 'max(nodejs_eventloop_lag_p99_seconds{a="b"}) and up{job="crate"}',
      want: ['nodejs_eventloop_lag_p99_seconds'],
    },
  ])('$expr', ({ expr, want }) => {
    expect(metricsIn(expr)).toEqual(want);
  });

  it('are found whatever the reader of a dashboard chooses', () => {
    expect(withoutVariables('rate(crate_a{service=~"$service"}[$__rate_interval])')).toBe(
      'rate(crate_a{service=~".*"}[5m])',
    );
  });
});
