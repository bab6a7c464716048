import { rounded, type Figure } from '../scenario.js';
import type { EngineResult, EquivalentResult } from './engine-parts.js';
import type { Taken } from './rounds.js';
import type { ServiceResult } from './service-part.js';

type Figures = Readonly<Record<string, Figure>>;

const PLAN_P99_MS = 50;
const SPEC_REVIEWS_PER_SECOND = 2_000;
const MICROSECONDS = 1000;

/** Figures of the review of one large plan; `baseline` is what the bare library takes for those rules that it can judge alone. */
export function planFigures(result: EngineResult): Figures {
  const { bare } = result.taken;
  return named('plan', { ...engineFigures(result), p99: time(result.taken.crate, 'p99', bare, PLAN_P99_MS) });
}

/** The same of clusters, in one process. */
export function specFigures(result: EngineResult): Figures {
  const { crate, bare } = result.taken;
  const throughput = { value: rounded(crate.throughput), unit: '1/s', baseline: rounded(bare.throughput) };
  return named('spec', { ...engineFigures(result), throughput });
}

function engineFigures({ rules, comparableRules, taken }: EngineResult): Figures {
  const { crate, comparable, bare } = taken;
  return {
    rules: { value: rules, unit: 'rules', baseline: comparableRules },
    p50: time(crate, 'p50', bare),
    p99: time(crate, 'p99', bare),
    max: time(crate, 'max', bare),
    cpu: { value: rounded(crate.cpuMs), unit: 'ms', baseline: rounded(bare.cpuMs) },
    // Of the same rules on both sides.
    cpuOverBare: { value: rounded(comparable.cpuMs / bare.cpuMs), unit: 'ratio' },
  };
}

/** Processor time for one rule by each engine. */
export function equivalentFigures({ rules, bufbuildRules, taken }: EquivalentResult): Figures {
  const crate = (taken.crate.cpuMs / rules) * MICROSECONDS;
  const celjs = (taken.celjs.cpuMs / rules) * MICROSECONDS;
  const bufbuild = (taken.bufbuild.cpuMs / bufbuildRules) * MICROSECONDS;
  return named('equivalent', {
    perRule: { value: rounded(crate), unit: 'us', baseline: rounded(celjs) },
    bufbuild: { value: rounded(bufbuild), unit: 'us' },
    overBufbuild: { value: rounded(crate / bufbuild), unit: 'ratio' },
  });
}

/** Figures of a real policy-mgmt; two cores are to answer so many, whatever the number of its processes. */
export function serviceFigures({ replicas, latency, throughput, failures, cpuPerReview }: ServiceResult): Figures {
  const cpu = Object.entries(cpuPerReview).map(([process, ms]) => [
    `cpu.${process}`,
    { value: rounded(ms), unit: 'ms' },
  ]);
  return named(replicas === 1 ? 'service' : `service-${replicas}`, {
    throughput: {
      value: rounded(throughput),
      unit: '1/s',
      ...(replicas === 1 ? { target: SPEC_REVIEWS_PER_SECOND } : {}),
    },
    p50: { value: rounded(latency.p50), unit: 'ms' },
    p99: { value: rounded(latency.p99), unit: 'ms' },
    failures: { value: failures, unit: 'reviews', target: 0 },
    ...(Object.fromEntries(cpu) as Figures),
  });
}

/** One line for each subject of a part. */
export function takenRows(part: string, taken: Readonly<Record<string, Taken>>): readonly string[] {
  return Object.entries(taken).map(([subject, { latency, cpuMs, throughput }]) => {
    const times = [latency.p50, latency.p99, latency.max, cpuMs].map((ms) => ms.toFixed(3));
    return line(`${part} ${subject}`, [...times, throughput.toFixed(0)]);
  });
}

/** One line for the service, with the processor time of each process for one review. */
export function serviceRow({ replicas, latency, throughput, failure, cpuPerReview }: ServiceResult): string {
  const { policy, all } = sums(cpuPerReview);
  const times = [latency.p50, latency.p99, latency.max, policy].map((ms) => ms.toFixed(3));
  const parts = Object.entries(cpuPerReview).map(([process, ms]) => `${process} ${ms.toFixed(3)}`);
  const why = failure === undefined ? '' : `  ${failure}`;
  const name = `service, ${replicas} ${replicas === 1 ? 'process' : 'processes'}`;
  return `${line(name, [...times, throughput.toFixed(0)])}  ms CPU: ${parts.join(', ')}, all ${all.toFixed(3)}${why}`;
}

export function tableHead(): string {
  return line('', ['p50 ms', 'p99', 'max', 'CPU ms', 'per s']);
}

function sums(cpuPerReview: ServiceResult['cpuPerReview']): { readonly policy: number; readonly all: number } {
  const entries = Object.entries(cpuPerReview);
  const sum = (of: readonly (readonly [string, number])[]): number => of.reduce((total, [, ms]) => total + ms, 0);
  return { policy: sum(entries.filter(([name]) => name.startsWith('policy-mgmt'))), all: sum(entries) };
}

function line(name: string, cells: readonly string[]): string {
  return [name.padEnd(24), ...cells.map((cell) => cell.padStart(10))].join(' ');
}

function time(of: Taken, which: 'p50' | 'p99' | 'max', bare: Taken, target?: number): Figure {
  const figure = { value: rounded(of.latency[which]), unit: 'ms', baseline: rounded(bare.latency[which]) };
  return target === undefined ? figure : { ...figure, target };
}

function named(prefix: string, figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, figure]) => [`${prefix}.${name}`, figure]));
}
