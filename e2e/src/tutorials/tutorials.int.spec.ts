import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT } from '@crate/observability';
import { isAsExpected } from './expected-output.js';
import { PAGE_TIMEOUT_MS, TutorialShell, type StepResult } from './tutorial-shell.js';
import { stepsOf } from './tutorial.js';

const FOLDER = join(ROOT, 'docs', 'tutorials');
const read = (page: string): string => readFileSync(join(FOLDER, page), 'utf8');
/** In the order in which the first page lists them. */
const PAGES = [...read('README.md').matchAll(/^\d+\. \[.*?\]\((.*?\.md)\)/gm)].map(([, page = '']) => page);
/** Of a page: that one which takes too long is told by its own limit, with what it had printed. */
const REST_MS = 30_000;
const MISSING = ['kubectl', 'curl', 'jq', 'prometheus', 'promtool'].filter(
  (program) => spawnSync(program, ['--help']).error !== undefined,
);

/** Told of a step that went otherwise than its page says. */
function differenceOf({ step, exitCode, printed }: StepResult): unknown {
  if (exitCode !== step.exitCode) return { line: step.line, wantedExitCode: step.exitCode, exitCode, printed };
  const { prints } = step;
  if (prints === undefined || isAsExpected(printed, prints)) return undefined;
  return { line: step.line, wanted: prints, printed };
}

it('are listed in the order in which they are to be read', () => {
  expect([...PAGES].sort()).toEqual(readdirSync(FOLDER).filter((name) => name !== 'README.md'));
  expect(PAGES.length).toBeGreaterThan(5);
});

const suite = MISSING.length > 0 ? describe.skip : describe;
suite(`tutorials${MISSING.length > 0 ? `, skipped without ${MISSING.join(', ')}` : ''}`, () => {
  let shell: TutorialShell;
  beforeAll(async () => {
    shell = await TutorialShell.open(process.env['PATH'] ?? '');
  });
  afterAll(async () => shell?.close());

  it.each(PAGES)(
    '%s does what it says',
    async (page) => {
      const steps = stepsOf(read(page));
      const results = await shell.run(steps);
      const differences = results.map(differenceOf).filter((difference) => difference !== undefined);
      expect(differences).toEqual([]);
      expect(results).toHaveLength(steps.length);
    },
    PAGE_TIMEOUT_MS + REST_MS,
  );
});
