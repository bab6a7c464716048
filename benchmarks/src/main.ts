import { Command, InvalidArgumentError } from 'commander';
import { CratePlatform } from '@crate/testing';
import type { Report, ScenarioOptions } from './scenario.js';
import { SCENARIOS } from './scenarios.js';

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
  .option(
    '--latency <factor>',
    'pace of the simulated cloud; 1 is its own, without it everything takes no time',
    positive,
  )
  .option('--requests <number>', 'requests that a fuzz run sends', positive)
  .option('--seed <number>', 'what a fuzz run draws its requests by', positive)
  .argument('<scenario>', SCENARIOS.map(({ name, description }) => `${name}: ${description}`).join('; '))
  .action(async (name: string, options: ScenarioOptions & { readonly json?: boolean }) => {
    const scenario = SCENARIOS.find((candidate) => candidate.name === name);
    if (!scenario)
      return program.error(`Unknown scenario "${name}"; known: ${SCENARIOS.map((each) => each.name).join(', ')}`);
    const measure = await scenario.load();
    const report = await measure((line) => process.stderr.write(`${line}\n`), options);
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
