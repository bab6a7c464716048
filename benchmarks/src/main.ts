import { Command } from 'commander';
import { createOne, createTwenty } from './create.scenario.js';
import type { Report, Scenario } from './scenario.js';

const SCENARIOS: readonly Scenario[] = [createOne, createTwenty];

const program = new Command('bench')
  .description('Measures Crate. Absolute times differ per machine: compare with the baseline of the same run')
  .option('--json', 'end with one line of JSON and say nothing else on standard output')
  .argument('<scenario>', SCENARIOS.map(({ name, description }) => `${name}: ${description}`).join('; '))
  .action(async (name: string, options: { readonly json?: boolean }) => {
    const scenario = SCENARIOS.find((candidate) => candidate.name === name);
    if (!scenario)
      return program.error(`Unknown scenario "${name}"; known: ${SCENARIOS.map((each) => each.name).join(', ')}`);
    const report = await scenario.run((line) => process.stderr.write(`${line}\n`));
    if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
    else print(report);
    process.exitCode = report.pass ? 0 : 1;
  });

function print(report: Report): void {
  process.stdout.write(`${report.scenario}: ${report.pass ? 'pass' : 'FAIL'}\n`);
  for (const [name, { value, unit, target, baseline }] of Object.entries(report.figures)) {
    const notes = [
      target === undefined ? '' : `target ${target}`,
      baseline === undefined ? '' : `baseline ${baseline}`,
    ].filter((note) => note !== '');
    process.stdout.write(`  ${name.padEnd(22)}${value} ${unit}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}\n`);
  }
}

await program.parseAsync();
