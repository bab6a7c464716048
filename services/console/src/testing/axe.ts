import axe from 'axe-core';

/** What axe finds against WCAG 2.2 AA, a line each; colours are looked at in a real browser. */
export async function axeFindings(element: Element): Promise<readonly string[]> {
  const { violations } = await axe.run(element, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
  });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
