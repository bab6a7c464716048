import { availableParallelism } from 'node:os';
import { reportOf } from '../api/report.js';
import type { Figure, Report, ScenarioOptions } from '../scenario.js';
import { measureEquivalent, measurePlan, measureSpec } from './engine-parts.js';
import {
  equivalentFigures,
  planFigures,
  serviceFigures,
  serviceRow,
  specFigures,
  tableHead,
  takenRows,
} from './policy-report.js';
import { measureService } from './service-part.js';

const SECONDS = 10;
const QUICK_SECONDS = 1;
const PARTS = ['plan', 'spec', 'service'] as const;

interface Measured {
  readonly figures: Readonly<Record<string, Figure>>;
  readonly rows: readonly string[];
}

/** Judging by rules: the engine beside the bare library and another engine, and the service that answers for it. */
export async function measurePolicy(say: (line: string) => void, options: ScenarioOptions): Promise<Report> {
  const figures: Record<string, Figure> = {};
  const table: string[] = [];
  const tell = (...lines: readonly string[]): void => {
    table.push(...lines);
    lines.forEach(say);
  };
  tell(`${availableParallelism()} processors`, tableHead());
  for (const part of PARTS.filter((name) => options.only?.includes(name) ?? true)) {
    for await (const { figures: of, rows } of MEASURES[part](options)) {
      Object.assign(figures, of);
      tell(...rows);
    }
  }
  return reportOf('policy', figures, table);
}

const MEASURES: Readonly<Record<(typeof PARTS)[number], (options: ScenarioOptions) => AsyncGenerator<Measured>>> = {
  plan: measuredPlan,
  spec: measuredSpec,
  service: measuredService,
};

async function* measuredPlan({ quick = false }: ScenarioOptions): AsyncGenerator<Measured> {
  const plan = await measurePlan(quick);
  const { rules, comparableRules, violations, taken } = plan;
  const about = `plan: ${rules} rules, ${comparableRules} of them also by the bare library; ${violations} violations`;
  yield { figures: planFigures(plan), rows: [about, ...takenRows('plan', taken)] };
  const equivalent = measureEquivalent(quick);
  const { rules: ours, bufbuildRules } = equivalent;
  const beside = `equivalent: ${ours} rules by crate and cel-js, ${bufbuildRules} by @bufbuild/cel: compare times per rule`;
  yield { figures: equivalentFigures(equivalent), rows: [beside, ...takenRows('equivalent', equivalent.taken)] };
}

async function* measuredSpec({ quick = false }: ScenarioOptions): AsyncGenerator<Measured> {
  const spec = await measureSpec(quick);
  const { rules, comparableRules, violations, taken } = spec;
  const about = `spec: ${rules} rules, ${comparableRules} of them also by the bare library; ${violations} violations`;
  yield { figures: specFigures(spec), rows: [about, ...takenRows('spec', taken)] };
}

async function* measuredService({ quick = false, seconds }: ScenarioOptions): AsyncGenerator<Measured> {
  for (const replicas of quick ? [1] : [1, 2]) {
    const result = await measureService({ replicas, quick, seconds: seconds ?? (quick ? QUICK_SECONDS : SECONDS) });
    yield { figures: serviceFigures(result), rows: [serviceRow(result)] };
  }
}
