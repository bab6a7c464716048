import { describe, expect, it } from '@jest/globals';
import type { Measured } from './api-bench.js';
import type { OperationResult } from './measure-operation.js';
import { operationFigures, passes, row, tableHead } from './report.js';

function measured(ms: number, throughput: number, failures = 0): Measured {
  const latency = { count: 10, mean: ms, p50: ms, p95: ms, p99: ms, max: ms };
  return {
    latency,
    lateness: latency,
    throughput,
    failures,
    failuresByKind: {},
    cpu: { lifecycle: 0.5, generator: 1 },
    rss: { lifecycle: 100 },
  };
}

function result(crate: Measured): OperationResult {
  const subjects = { pg: measured(1, 8000), fastify: measured(2, 5000), crate };
  return { operation: 'get', rate: 500, open: subjects, full: subjects };
}

describe('operationFigures', () => {
  it('puts each figure beside its baseline', () => {
    const figures = operationFigures(result(measured(4, 4000)));
    expect(figures['get.p50']).toEqual({ value: 4, unit: 'ms', baseline: 2 });
    expect(figures['get.capacity']).toEqual({ value: 4000, unit: '1/s', baseline: 5000, target: 4000 });
    expect(figures['get.p50OverFastify']?.value).toBe(2);
    expect(figures['get.p50OverPg']?.value).toBe(4);
    expect(figures['get.capacityOfFastify']?.value).toBe(0.8);
  });

  it('counts the processors of the servers, not of the generator', () => {
    expect(operationFigures(result(measured(4, 1000)))['get.cpuPerRequest']?.value).toBe(0.5);
  });
});

describe('passes', () => {
  it.each([
    { name: 'a rate below its target', value: { value: 3999, unit: '1/s', target: 4000 }, want: false },
    { name: 'a rate at its target', value: { value: 4000, unit: '1/s', target: 4000 }, want: true },
    { name: 'a time above its target', value: { value: 51, unit: 'ms', target: 50 }, want: false },
    { name: 'a time below its target', value: { value: 49, unit: 'ms', target: 50 }, want: true },
    { name: 'a figure that was not measured', value: { value: NaN, unit: 'ms', target: 50 }, want: false },
    { name: 'a figure without a target', value: { value: 1e9, unit: 'ms' }, want: true },
    { name: 'one failure', value: { value: 1, unit: 'requests', target: 0 }, want: false },
  ])('judges $name: $want', ({ value, want }) => {
    expect(passes({ figure: value })).toBe(want);
  });
});

describe('row', () => {
  it('lines up with the head and tells why something failed', () => {
    const line = row('get crate', '500', { ...measured(4, 1000, 1), failure: 'no' });
    expect(line).toContain('lifecycle 0.50 (100)');
    expect(line).toContain('no');
    expect(line.indexOf('500') + 3).toBe(tableHead().indexOf('rate/s') + 6);
  });
});
