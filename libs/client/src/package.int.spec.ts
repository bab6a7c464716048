import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TestApi } from './testing/api.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const PROGRAM = `import { CLUSTER, CrateClient, hasCode, type Cluster } from '@crate/client';

const crate = new CrateClient({ server: process.argv[2] ?? '', token: 'secret' });
const clusters = crate.kind(CLUSTER).in('team-a');
const spec = { accountRef: { name: 'main' }, region: 'us-east-1', kubernetes: { version: 'v1.31.4' } };
const created: Cluster = await clusters.create({ metadata: { name: 'demo' }, spec });
const replicas: number = created.spec.controlPlane?.replicas ?? 0;
// @ts-expect-error Specs are typed: there is no such field.
void created.spec.nonsense;
const missing = await clusters.get('nobody').catch((error: unknown) => hasCode(error, 'NotFound'));
for await (const { type, object } of clusters.watch()) {
  console.log(type, object.metadata.name, replicas, missing);
  break;
}
crate.close();
`;

let api: TestApi;
let directory: string;
beforeAll(async () => {
  api = await TestApi.start();
  directory = await mkdtemp(join(tmpdir(), 'consumer-'));
  await consumer();
});
afterAll(async () => {
  await api.close();
  await rm(directory, { recursive: true });
});

/** A project elsewhere that has the packed packages, and nothing else of this workspace. */
async function consumer(): Promise<void> {
  const modules = join(directory, 'node_modules');
  await mkdir(join(modules, '@crate'), { recursive: true });
  await mkdir(join(modules, '@types'));
  for (const library of ['api', 'errors', 'client']) {
    await run('npm', ['pack', '--silent', '--pack-destination', directory], { cwd: join(ROOT, 'libs', library) });
    const target = join(modules, '@crate', library);
    await mkdir(target);
    await run('tar', ['-xzf', join(directory, `crate-${library}-0.1.0.tgz`), '-C', target, '--strip-components=1']);
  }
  for (const vendor of ['zod', 'yaml', '@types/node', 'undici-types']) {
    await symlink(join(ROOT, 'node_modules', vendor), join(modules, vendor));
  }
  const options = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    exactOptionalPropertyTypes: true,
    types: ['node'],
  };
  await writeFile(join(directory, 'package.json'), '{"type":"module"}');
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['main.ts'] }));
  await writeFile(join(directory, 'main.ts'), PROGRAM);
}

describe('the packed package', () => {
  it('holds what runs, and no tests', async () => {
    const files = await readdir(join(directory, 'node_modules/@crate/client'), { recursive: true });
    expect(files).toEqual(expect.arrayContaining(['README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']));
    expect(files.filter((file) => /spec|testing|^src/.test(file))).toEqual([]);
  });

  it('type-checks and works in a project of its own', async () => {
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', directory], { cwd: directory });
    const { stdout } = await run(process.execPath, [join(directory, 'main.js'), api.url], { cwd: directory });
    expect(stdout.trim()).toBe('ADDED demo 3 true');
  });
});
