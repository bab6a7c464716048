import { writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import { badRequest } from '@crate/errors';
import { readPolicyFiles } from '../policy/policy-files.js';
import { outputOption, print, type OutputFormat } from '../policy/structured-output.js';
import { junitOf, testReportLines } from '../policy/test-report.js';
import { runTests } from '../policy/test-run.js';

interface TestOptions {
  readonly minCoverage?: number;
  readonly junit?: string;
  readonly output: OutputFormat;
}

/** `crate policy test`: rules against documents, without a platform. */
export function policyTestCommand(): Command {
  return new Command('test')
    .description(
      'Run examples of packs and PolicyTest documents against rules; fails when one does not come out as it says',
    )
    .argument('[paths...]', 'packs, Policy documents, tests, and directories of them', ['.'])
    .option('--min-coverage <percent>', 'fail when less of the rules was seen to pass and seen to fail', toPercent)
    .option('--junit <file>', 'write the results as JUnit XML')
    .addOption(outputOption())
    .action(async (paths: readonly string[], { minCoverage = 0, junit, output }: TestOptions) => {
      const files = await readPolicyFiles(paths);
      if (files.policies.length === 0) throw badRequest(`There are no rules in ${paths.join(', ')}`);
      const run = await runTests(files);
      if (junit !== undefined) await writeFile(junit, junitOf(run));
      print(output, testReportLines(run), run);
      const isCovered = run.coverage.percent >= minCoverage;
      if (!isCovered) console.error(`crate: Coverage is ${run.coverage.percent} %, less than ${minCoverage} %`);
      if (run.failed > 0 || !isCovered) process.exitCode = 1;
    });
}

function toPercent(value: string): number {
  const percent = Number(value);
  if (value.trim() === '' || !(percent >= 0 && percent <= 100)) throw new InvalidArgumentError('want 0 to 100');
  return percent;
}
