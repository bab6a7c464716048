import { rounded, type Figure, type Report } from '../scenario.js';
import type { Measured } from './api-bench.js';
import type { FanOutResult } from './fan-out.js';
import { PLANS, type OperationResult } from './measure-operation.js';

type Figures = Readonly<Record<string, Figure>>;

/** Figures of one operation; each time and rate beside that of the bare server with its row work. */
export function operationFigures({ operation, open, full }: OperationResult): Figures {
  const { p95, p99, capacity } = PLANS[operation];
  const { crate, fastify, pg } = open;
  const failures = crate.failures + full.crate.failures;
  const time = (of: 'p50' | 'p95' | 'p99' | 'max', target?: number): Figure =>
    withTarget({ value: rounded(crate.latency[of]), unit: 'ms', baseline: rounded(fastify.latency[of]) }, target);
  return named(operation, {
    p50: time('p50'),
    p95: time('p95', p95),
    p99: time('p99', p99),
    max: time('max'),
    capacity: withTarget(
      { value: rounded(full.crate.throughput), unit: '1/s', baseline: rounded(full.fastify.throughput) },
      capacity,
    ),
    p50OverFastify: { value: rounded(crate.latency.p50 / fastify.latency.p50), unit: 'ratio' },
    p50OverPg: { value: rounded(crate.latency.p50 / pg.latency.p50), unit: 'ratio' },
    capacityOfFastify: { value: rounded(full.crate.throughput / full.fastify.throughput), unit: 'ratio' },
    capacityOfPg: { value: rounded(full.crate.throughput / full.pg.throughput), unit: 'ratio' },
    cpuPerRequest: {
      value: rounded(cpuPerRequest(full.crate)),
      unit: 'ms',
      baseline: rounded(cpuPerRequest(full.fastify)),
    },
    cpuOverFastify: { value: rounded(cpuPerRequest(full.crate) / cpuPerRequest(full.fastify)), unit: 'ratio' },
    failures: { value: failures, unit: 'requests', target: 0 },
  });
}

/** Milliseconds of processor that a request costs everybody but who sends it: hardly moved by what else the machine does. */
function cpuPerRequest({ cpu, throughput }: Measured): number {
  const servers = Object.entries(cpu).filter(([name]) => name !== 'generator');
  return (servers.reduce((sum, [, processors]) => sum + processors, 0) * 1000) / throughput;
}

/** Figures of watches: time from a write to its event, and that none was lost, came twice or out of order. */
export function fanOutFigures({ name, plan, crate, fastify }: FanOutResult): Figures {
  const time = (of: 'p50' | 'p95' | 'p99' | 'max', target?: number): Figure =>
    withTarget({ value: rounded(crate.latency[of]), unit: 'ms', baseline: rounded(fastify.latency[of]) }, target);
  const { failures, lost, surplus, disordered, ended } = crate;
  const none = Object.entries({ failures, lost, surplus, disordered, ended });
  return named(name, {
    p50: time('p50'),
    p95: time('p95'),
    p99: time('p99', plan.p99),
    max: time('max'),
    watchers: { value: crate.watchers, unit: 'watches' },
    events: { value: crate.events, unit: 'events', baseline: fastify.events },
    p50OverFastify: { value: rounded(crate.latency.p50 / fastify.latency.p50), unit: 'ratio' },
    ...Object.fromEntries(none.map(([what, value]) => [what, { value, unit: 'events', target: 0 }])),
  });
}

/** One line for each server. */
export function fanOutRows({ name, plan, crate, fastify }: FanOutResult): readonly string[] {
  const line = (subject: string, seen: FanOutResult['crate']): string =>
    `${row(`${name} ${subject}`, String(plan.rate), seen)}; ${seen.watchers} watches, ${seen.events} events, ${seen.lost} lost`;
  return [line('fastify', fastify), line('crate', crate)];
}

/** True when every figure reaches its target: rates at least, everything else at most. */
export function passes(figures: Figures): boolean {
  return Object.values(figures).every(({ value, unit, target }) => {
    if (target === undefined) return true;
    return unit === '1/s' ? value >= target : value <= target;
  });
}

/** The report of everything measured, with a table for people. */
export function reportOf(scenario: string, figures: Figures, table: readonly string[]): Report {
  return { scenario, figures, pass: passes(figures), table: table.join('\n') };
}

export function tableHead(): string {
  const columns = ['rate/s', 'p50 ms', 'p95', 'p99', 'max', 'late p99', 'per s', 'failed', 'processors (MiB)'];
  return [''.padEnd(22), ...columns.map((column) => column.padStart(9))].join(' ');
}

/** One line for each subject and kind of load. */
export function tableRows({ operation, rate, open, full }: OperationResult): readonly string[] {
  const rows = Object.entries(open).map(([subject, measured]) =>
    row(`${operation} ${subject}`, String(rate), measured),
  );
  return [
    ...rows,
    ...Object.entries(full).map(([subject, measured]) => row(`${operation} ${subject}`, 'full', measured)),
  ];
}

/** One line of the table. */
export function row(
  name: string,
  rate: string,
  { latency, lateness, throughput, failures, failure, cpu, rss }: Measured,
): string {
  const { p50, p95, p99, max } = latency;
  const numbers = [p50, p95, p99, max, lateness.p99].map((value) => value.toFixed(1));
  const cells = [rate, ...numbers, throughput.toFixed(0), String(failures)].map((cell) => cell.padStart(9));
  const why = failure === undefined ? '' : `  ${failure}`;
  return [name.padEnd(22), ...cells, ` ${usageText(cpu, rss)}${why}`].join(' ');
}

/** Processes that did something, with the processors they used and their memory. */
function usageText(cpu: Measured['cpu'], rss: Measured['rss']): string {
  return Object.entries(cpu)
    .filter(([, processors]) => processors >= 0.02)
    .map(([name, processors]) => `${name} ${processors.toFixed(2)} (${(rss[name] ?? 0).toFixed(0)})`)
    .join(', ');
}

function named(prefix: string, figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, figure]) => [`${prefix}.${name}`, figure]));
}

function withTarget(figure: Figure, target: number | undefined): Figure {
  return target === undefined ? figure : { ...figure, target };
}
