import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { natsAuthorization, passwordVariable, ROOT, runProgram, type RenderedObject } from '@crate/helm-chart';
import { SERVICE_ORDER } from '../../up/service-order.js';
import type { BootstrapRequest } from '../request.js';
import { natsObjects } from './nats-objects.js';
import { postgresObjects } from './postgres-objects.js';
import { serverImage } from './server-images.js';

jest.setTimeout(120_000);

interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly volumeMounts: readonly { readonly mountPath: string }[];
}
interface Judged {
  readonly name: string;
  readonly rules: readonly { readonly policy: string; readonly violations: readonly { readonly message: string }[] }[];
}

const PACKS = ['pod-security-baseline', 'pod-security-restricted', 'nsa-hardening'];
const PASSWORDS = Object.fromEntries(SERVICE_ORDER.map((service) => [passwordVariable(service), 'nabc']));
const [POSTGRES_IMAGE, NATS_IMAGE] = await Promise.all([
  serverImage('postgres', {} as BootstrapRequest),
  serverImage('nats', {} as BootstrapRequest),
]);
const OBJECTS = [
  ...postgresObjects({ size: '20Gi' }, POSTGRES_IMAGE),
  ...natsObjects(PASSWORDS, NATS_IMAGE),
] as readonly RenderedObject[];
const SETS = OBJECTS.filter(({ kind }) => kind === 'StatefulSet').map(({ spec, metadata }) => {
  const { template } = spec as { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
  return { name: metadata.name, container: template.spec.containers[0] as Container };
});

describe('objects of the servers', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'crate-judged-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  /** `crate policy eval`, as people run it. */
  async function judge(items: readonly RenderedObject[]): Promise<readonly string[]> {
    const file = join(directory, 'objects.json');
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const packs = PACKS.map((pack) => join(ROOT, `services/policy-mgmt/packs/${pack}.yaml`));
    const crate = join(ROOT, 'services/cli/dist/main.js');
    const args = [crate, 'policy', 'eval', '-f', file, '--policies', ...packs, '--all', '-o', 'json'];
    const { stdout, stderr } = await runProgram(process.execPath, args);
    if (stdout === '') throw new Error(stderr);
    const { documents } = JSON.parse(stdout) as { readonly documents: readonly Judged[] };
    expect(documents).toHaveLength(items.length);
    return documents.flatMap(({ name, rules }) =>
      rules.flatMap(({ policy, violations }) => violations.map(({ message }) => `${name}: ${policy}: ${message}`)),
    );
  }

  it('are such as the packs that ship ask for', async () => {
    expect(await judge(OBJECTS)).toEqual([]);
    const text = JSON.stringify(OBJECTS).replaceAll('"runAsNonRoot":true', '"runAsNonRoot":false');
    expect((await judge(JSON.parse(text) as RenderedObject[])).length).toBeGreaterThan(1);
  });

  it.each(SETS)('$name finds every path below one of its volumes', ({ container }) => {
    const paths = [...container.env.map(({ value = '' }) => value), ...container.args]
      .flatMap((text) => /(?:^|=)(\/.*)/.exec(text)?.[1] ?? [])
      .filter((path) => !container.volumeMounts.some(({ mountPath }) => path.startsWith(`${mountPath}/`)));
    expect(paths).toEqual([]);
  });

  it('gives NATS every variable that its configuration reads', async () => {
    const [found] = OBJECTS.filter(({ kind, metadata }) => kind === 'Secret' && metadata.name === 'crate-nats-config');
    const configuration = (found?.['stringData'] as Readonly<Record<string, string>>)['nats.conf'] ?? '';
    const read = new Set([...configuration.matchAll(/\$(CRATE_NATS_\w+)/g)].map(([, name]) => name));
    const given = SETS.find(({ name }) => name === 'crate-nats')?.container.env.map(({ name }) => name) ?? [];
    expect([...read].sort()).toEqual([...given, ...Object.keys(PASSWORDS)].sort());
    for (const name of Object.keys(PASSWORDS)) expect(configuration).toContain(`${name}: nabc\n`);
    // What the guide takes out for a newer version, and what it looks for in the rest before it writes that.
    const guide = await readFile(join(ROOT, 'docs/install/bootstrap.md'), 'utf8');
    const [, begins = ''] = /sed '\/(.+?)\/,\$d'/.exec(guide) ?? [];
    const [before = '', ...rest] = configuration.split(new RegExp(`(?=${begins})`, 'm'));
    expect(rest).toEqual([natsAuthorization()]);
    expect(before).not.toContain('authorization');
    const [, kept = 'nothing is looked for'] = /grep -q '(.+?)' .* &&$/m.exec(guide) ?? [];
    expect(before).toMatch(new RegExp(kept, 'm'));
    expect(rest[0]).not.toMatch(new RegExp(kept, 'm'));
  });

  it('starts NATS anew when its configuration is another one, and only then', () => {
    const podsOf = (passwords: Readonly<Record<string, string>>): string =>
      JSON.stringify(
        (natsObjects(passwords, NATS_IMAGE) as readonly RenderedObject[]).find(({ kind }) => kind === 'StatefulSet'),
      );
    expect(podsOf(PASSWORDS)).toBe(podsOf({ ...PASSWORDS }));
    expect(podsOf(PASSWORDS)).not.toBe(podsOf({ ...PASSWORDS, CRATE_NATS_PASSWORD_LIFECYCLE: 'nother' }));
  });
});
