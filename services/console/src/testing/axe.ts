import { getConfig } from '@testing-library/react';
import axe, { type AxeResults } from 'axe-core';

/** What axe finds against WCAG 2.2 AA, a line each; colours are looked at in a real browser. */
export async function axeFindings(element: Element): Promise<readonly string[]> {
  const look = (): Promise<AxeResults> =>
    axe.run(element, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
    });
  // It takes its time, in which the page lives on.
  const { violations } = (await getConfig().asyncWrapper(look)) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
