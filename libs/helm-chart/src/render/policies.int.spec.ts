import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT } from '../files/written-files.js';
import { combinations } from './combinations.js';
import { runProgram, whyNoHelm } from './program.js';
import { StagedChart, type RenderedObject } from './staged-chart.js';

interface Judged {
  readonly name: string;
  readonly rules: readonly {
    readonly policy: string;
    readonly result: string;
    readonly violations: readonly { readonly message: string; readonly field: string }[];
  }[];
}

const PACKS = ['pod-security-baseline', 'pod-security-restricted', 'nsa-hardening'];
const reason = await whyNoHelm();
const suite = reason === undefined ? describe : describe.skip;

suite(`the packs that ship, on what the chart renders${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let directory: string;
  const objects = new Map<string, RenderedObject>();

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'crate-judged-'));
    const chart = await StagedChart.make();
    for (const [, values] of combinations()) {
      for (const object of await chart.render(values)) objects.set(JSON.stringify(object), object);
    }
    await chart.remove();
  });
  afterAll(() => rm(directory, { recursive: true }));

  /** `crate policy eval`, as people run it. */
  async function judge(items: readonly RenderedObject[]): Promise<readonly Judged[]> {
    const file = join(directory, 'objects.json');
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const packs = PACKS.map((pack) => join(ROOT, `services/policy-mgmt/packs/${pack}.yaml`));
    const crate = join(ROOT, 'services/cli/dist/main.js');
    const args = [crate, 'policy', 'eval', '-f', file, '--policies', ...packs, '--all', '-o', 'json'];
    const { stdout, stderr } = await runProgram(process.execPath, args);
    if (stdout === '') throw new Error(stderr);
    return (JSON.parse(stdout) as { documents: readonly Judged[] }).documents;
  }

  it('find nothing wrong, whatever was chosen, but the port of machines that somebody asked for', async () => {
    const documents = await judge([...objects.values()]);
    expect(documents).toHaveLength(objects.size);
    const broken = documents.flatMap(({ name, rules }) =>
      rules.flatMap(({ policy, violations }) =>
        violations.map(({ field, message }) => `${name}: ${policy}: ${field}: ${message}`),
      ),
    );
    expect([...new Set(broken)]).toEqual([
      'crate-api: nsa-no-node-ports: spec.type: The Service opens a port on every machine',
    ]);

    const asked = new Set(
      documents.flatMap(({ rules }) => rules.filter(({ result }) => result === 'pass').map(({ policy }) => policy)),
    );
    expect(
      [...asked].filter((policy) => policy.startsWith('pss-') || policy.startsWith('pod-')).length,
    ).toBeGreaterThan(10);
    expect(asked).toContain('nsa-read-only-root');
    expect(asked).toContain('nsa-network-policy-narrow');
    expect(asked).toContain('nsa-ingress-tls');
  });

  it('would say so of a pod that asks for more', async () => {
    const [set] = [...objects.values()].filter(({ kind }) => kind === 'StatefulSet');
    const text = JSON.stringify(set).replace('"readOnlyRootFilesystem":true', '"privileged":true');
    const [document] = await judge([JSON.parse(text) as RenderedObject]);
    const broken = document?.rules.filter(({ violations }) => violations.length > 0).map(({ policy }) => policy);
    expect(broken).toEqual(expect.arrayContaining(['nsa-read-only-root']));
    expect(broken?.length).toBeGreaterThan(1);
  });
});
