import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ConformanceBench } from './bench.js';
import { Kubectl, kubectlEdges, kubectlPrograms } from './kubectl.js';
import { cellKey, cellsOf, pageOf, parsePage, type Cells } from './page.js';
import { runClients, type Client, type Result } from './row.js';
import { nodeClient } from './rows/client-node.js';
import { httpClients } from './rows/http-client-rows.js';
import { kubectlClient } from './rows/kubectl-client.js';
import { pythonClient } from './rows/python.js';

const PAGE = fileURLToPath(new URL('../../../docs/conformance.md', import.meta.url));
const IS_WRITING = process.env['CONFORMANCE'] === 'write';
/** As many clients side by side as do not get into each other's way on two cores. */
const AT_ONCE = 3;
/** Two or three minutes when the machine does nothing else. */
const TIMEOUT_MS = 15 * 60_000;

const bench = new ConformanceBench();
const clients: readonly Client[] = [
  ...httpClients(bench),
  nodeClient(bench),
  pythonClient(bench),
  ...(IS_WRITING ? kubectlPrograms() : kubectlEdges()).map((program) => kubectlClient(bench, program)),
];

let results: readonly Result[];
let committed: Cells;
beforeAll(async () => {
  committed = parsePage(await readFile(PAGE, 'utf8').catch(() => ''));
  await bench.start();
  results = await runClients(clients, AT_ONCE);
  const page = pageOf(clients, results, committed);
  if (IS_WRITING) await writeFile(PAGE, page);
  process.stdout.write(`\n${page}\n`);
}, TIMEOUT_MS);
afterAll(() => bench.stop());
afterAll(() => Kubectl.removeAll());

for (const { family, version, rows, absent } of clients) {
  const suite = absent === undefined ? describe : describe.skip;
  suite(`${family} ${version}${absent === undefined ? '' : ` (${absent})`}`, () => {
    it.each(rows)('$capability', ({ capability }) => {
      const key = cellKey({ family, version, capability });
      const result = results.find((each) => cellKey(each) === key);
      if (result?.error) throw result.error;
      expect(result).toBeDefined();
    });
  });
}

describe('docs/conformance.md', () => {
  it('says just what the clients on this machine did (else: npm run conformance)', () => {
    const tried = new Set(results.map(({ family, version }) => `${family} › ${version}`));
    const isTried = (key: string): boolean => tried.has(key.replace(/ › .* › /, ' › '));
    const stated = new Map([...committed].filter(([key]) => isTried(key)));
    if (!IS_WRITING) expect(stated).toEqual(cellsOf(results));
  });

  it('has more than 80 capabilities, and names none twice', () => {
    const keys = clients.flatMap(({ family, version, rows }) =>
      rows.map(({ capability }) => cellKey({ family, version, capability })),
    );
    expect(new Set(keys).size).toBe(keys.length);
    const capabilities = clients.flatMap(({ family, rows }) =>
      rows.map(({ capability }) => `${family} › ${capability}`),
    );
    expect(new Set(capabilities).size).toBeGreaterThan(80);
  });
});
