import type { Figure, Report, ScenarioOptions } from '../scenario.js';
import { ApiBench } from './api-bench.js';
import { measureOperation } from './measure-operation.js';
import { OPERATIONS } from './operations.js';
import { FAN_OUT_PLANS, FAN_OUTS, measureFanOut, type FanOutName, type FanOutPlan } from './fan-out.js';
import { fanOutFigures, fanOutRows, operationFigures, reportOf, tableHead, tableRows } from './report.js';

const OBJECTS = 50_000;
const SECONDS = 10;
const QUICK = { objects: 2_000, seconds: 1 };

/** The public API under load, through its front door, beside what bare parts do with the same rows. */
export async function measureApi(say: (line: string) => void, options: ScenarioOptions): Promise<Report> {
  const { quick = false, only } = options;
  const { objects = quick ? QUICK.objects : OBJECTS, seconds = quick ? QUICK.seconds : SECONDS } = options;
  const bench = await ApiBench.start(objects, say);
  try {
    const figures: Record<string, Figure> = {};
    const table: string[] = [];
    // A run takes minutes: what is known already is told at once.
    const tell = (...lines: readonly string[]): void => {
      table.push(...lines);
      lines.forEach(say);
    };
    tell(`${bench.processors} processors, ${objects} stored objects`, tableHead());
    for (const operation of OPERATIONS.filter((name) => only?.includes(name) ?? true)) {
      const { rate } = options;
      const plan = { seconds, isQuick: quick, ...(rate === undefined ? {} : { rate }) };
      const result = await measureOperation(bench, operation, plan);
      Object.assign(figures, operationFigures(result));
      tell(...tableRows(result));
    }
    for (const name of FAN_OUTS.filter((each) => only?.includes(each) ?? true)) {
      const result = await measureFanOut(bench, name, fanOutPlan(name, options), seconds);
      Object.assign(figures, fanOutFigures(result));
      tell(...fanOutRows(result));
    }
    return reportOf('api', figures, table);
  } finally {
    say('Stopping the platform');
    await bench.close();
  }
}

function fanOutPlan(name: FanOutName, { quick, rate }: ScenarioOptions): FanOutPlan {
  const plan = FAN_OUT_PLANS[name];
  const { writes } = plan;
  return {
    ...plan,
    ...(rate === undefined ? {} : { rate }),
    ...(quick ? { watchers: plan.watchers / 10, ...(writes === undefined ? {} : { writes: writes / 100 }) } : {}),
  };
}
