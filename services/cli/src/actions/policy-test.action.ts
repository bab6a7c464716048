import { badRequest } from '@crate/errors';
import { writeOut } from '../output/out-file.js';
import { readPolicyFiles } from '../policy/policy-files.js';
import { print, type OutputFormat } from '../policy/structured-output.js';
import { junitOf, testReportLines } from '../policy/test-report.js';
import { runTests } from '../policy/test-run.js';

interface TestOptions {
  readonly minCoverage?: number;
  readonly junit?: string;
  readonly output: OutputFormat;
}

export async function runPolicyTest(
  paths: readonly string[],
  { minCoverage = 0, junit, output }: TestOptions,
): Promise<void> {
  const files = await readPolicyFiles(paths);
  if (files.policies.length === 0) throw badRequest(`There are no rules in ${paths.join(', ')}`);
  const run = await runTests(files);
  if (junit !== undefined) await writeOut(junit, junitOf(run));
  print(output, testReportLines(run), run);
  const isCovered = run.coverage.percent >= minCoverage;
  if (!isCovered) console.error(`crate: Coverage is ${run.coverage.percent} %, less than ${minCoverage} %`);
  if (run.failed > 0 || !isCovered) process.exitCode = 1;
}
