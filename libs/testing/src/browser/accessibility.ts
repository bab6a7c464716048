import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const STANDARD = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const MOST_NODES = 3;

interface AxeFinding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

let source: Promise<string> | undefined;

/**
 * What axe has against the page as it is now, a line each, by the rules of WCAG 2.2 AA; `rules` are asked alone.
 * Colours are those that are drawn at the moment: wait for transitions before.
 */
export async function accessibilityFindings(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  if (await page.evaluate<boolean>('window.axe === undefined')) await page.evaluate(await source);
  const runOnly = rules ? { type: 'rule', values: rules } : { type: 'tag', values: STANDARD };
  const options = {
    runOnly,
    resultTypes: ['violations'],
    ...(rules ? {} : { rules: { 'target-size': { enabled: true } } }),
  };
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`;
  const found = await page.evaluate<readonly AxeFinding[]>(run);
  return found.flatMap(({ id, help, nodes }) =>
    nodes
      .slice(0, MOST_NODES)
      .map(({ target, failureSummary = '' }) => `${id} (${help}): ${JSON.stringify(target)} ${failureSummary}`),
  );
}
