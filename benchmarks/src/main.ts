import { Command, InvalidArgumentError } from 'commander';
import { CratePlatform } from '@crate/testing';
import { api } from './api/api.scenario.js';
import { cliStart } from './cli/cli-start.scenario.js';
import { consolePages } from './console/console.scenario.js';
import { fleetPages } from './fleet/fleet.scenario.js';
import { fuzz } from './fuzz/fuzz.scenario.js';
import { createOne, createTwenty } from './create.scenario.js';
import { policy } from './policy/policy.scenario.js';
import { soak } from './soak/soak.scenario.js';
import { fleet } from './scale-out/scale-out.scenario.js';
import type { Report, Scenario, ScenarioOptions } from './scenario.js';

const SCENARIOS: readonly Scenario[] = [
  createOne,
  createTwenty,
  api,
  policy,
  fleet,
  fleetPages,
  consolePages,
  cliStart,
  soak,
  fuzz,
];

const program = new Command('bench')
  .description('Measures Crate. Absolute times differ per machine: compare with the baseline of the same run')
  .option('--json', 'end with one line of JSON and say nothing else on standard output')
  .option('--quick', 'less of everything: shows that it runs, not how fast')
  .option('--only <parts>', 'parts to run, with commas between them', (text) => text.split(','))
  .option('--seconds <number>', 'how long each part is measured', positive)
  .option('--minutes <number>', 'how long a soak takes', positive)
  .option('--objects <number>', 'stored objects', positive)
  .option('--rate <number>', 'requests a second where the rate is fixed', positive)
  .option('--clusters <number>', 'clusters that are made for real', positive)
  .option('--replicas <numbers>', 'processes of each service, one platform after the other', (text) =>
    text.split(',').map(positive),
  )
  .option('--requests <number>', 'requests that a fuzz run sends', positive)
  .option('--seed <number>', 'what a fuzz run draws its requests by', positive)
  .argument('<scenario>', SCENARIOS.map(({ name, description }) => `${name}: ${description}`).join('; '))
  .action(async (name: string, options: ScenarioOptions & { readonly json?: boolean }) => {
    const scenario = SCENARIOS.find((candidate) => candidate.name === name);
    if (!scenario)
      return program.error(`Unknown scenario "${name}"; known: ${SCENARIOS.map((each) => each.name).join(', ')}`);
    const report = await scenario.run((line) => process.stderr.write(`${line}\n`), options);
    const { table, ...figures } = report;
    if (options.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
    else print(report, table);
    process.exitCode = report.pass ? 0 : 1;
  });

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('must be a number above 0');
  return value;
}

function print(report: Report, table: string | undefined): void {
  if (table !== undefined) process.stdout.write(`${table}\n\n`);
  process.stdout.write(`${report.scenario}: ${report.pass ? 'pass' : 'FAIL'}\n`);
  for (const [name, { value, unit, target, baseline }] of Object.entries(report.figures)) {
    const notes = [
      target === undefined ? '' : `target ${target}`,
      baseline === undefined ? '' : `baseline ${baseline}`,
    ].filter((note) => note !== '');
    process.stdout.write(`  ${name.padEnd(24)}${value} ${unit}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}\n`);
  }
}

CratePlatform.removeAllOnSignals();
await program.parseAsync();
