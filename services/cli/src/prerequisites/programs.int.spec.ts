import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { arch, platform, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startFileServer, type FileServer } from '../testing/file-server.js';
import { TERRAFORM_ARCHIVE } from '../testing/terraform-archive.js';
import { obtain } from './prerequisite.js';
import { natsServer, terraform, type ProgramOptions } from './programs.js';

const run = promisify(execFile);
const SYSTEM = `${platform()}-${arch() === 'x64' ? 'amd64' : arch()}`;
const isLinux = platform() === 'linux';

let root: string;
let publisher: FileServer;
let said: string[];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'crate-programs-'));
  await mkdir(join(root, 'bin'));
  publisher = await startFileServer({});
  said = [];
});
afterEach(async () => {
  await publisher.stop();
  await rm(root, { recursive: true });
});

/** A computer that has nothing but what is placed in its PATH. */
function options(): ProgramOptions {
  return {
    searchPath: join(root, 'path'),
    extraDirectories: [],
    binDirectory: join(root, 'bin'),
    natsReleases: publisher.url,
    terraformReleases: publisher.url,
  };
}

async function placeInPath(name: string, script: string): Promise<string> {
  await mkdir(join(root, 'path'), { recursive: true });
  const file = join(root, 'path', name);
  await writeFile(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

async function publishNats(version = '2.11.9'): Promise<void> {
  const name = `nats-server-v${version}-${SYSTEM}`;
  const directory = join(root, 'release', name);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'nats-server'), '#!/bin/sh\necho nats stand-in\n');
  const file = join(root, 'release.tar.gz');
  await run('tar', ['-czf', file, '-C', join(root, 'release'), name]);
  publish(`/v${version}/${name}.tar.gz`, await readFile(file), `/v${version}/SHA256SUMS`);
}

function publishTerraform(version = '1.11.4'): void {
  const path = `/${version}/terraform_${version}_${SYSTEM.replace('-', '_')}.zip`;
  publish(path, TERRAFORM_ARCHIVE, `/${version}/terraform_${version}_SHA256SUMS`);
}

function publish(path: string, archive: Uint8Array, checksums: string): void {
  const sum = createHash('sha256').update(archive).digest('hex');
  Object.assign(publisher.files, { [path]: archive, [checksums]: `${sum}  ${path.split('/').at(-1)}\n` });
}

async function output(program: string, ...args: string[]): Promise<string> {
  return (await run(program, args)).stdout.trim();
}

describe('nats-server', () => {
  const find = (): Promise<string> => obtain(natsServer(options()), { say: (line) => said.push(line) });

  it('is taken from PATH when it is there', async () => {
    const placed = await placeInPath('nats-server', 'true');
    expect(await find()).toBe(placed);
    expect(said).toEqual([]);
  });

  it('comes from its release when nothing else has it, and from the download next time', async () => {
    await publishNats();

    const program = await find();
    expect(await output(program)).toBe('nats stand-in');
    expect(said.join('\n')).toMatch(
      /PATH \(nats-server\).*\n.*an earlier download.*\n.*Docker.*\n.*package manager.*\nDownloading http:/,
    );

    await publisher.stop();
    expect(await find()).toBe(program);
  });

  (isLinux ? it : it.skip)('runs in Docker when an engine answers, with files where they are', async () => {
    await placeInPath('docker', 'if test "$1" = run; then echo "$@"; fi');
    const program = await find();

    expect(await output(program, '--config', join(root, 'nats.conf'))).toBe(
      `run --rm --network host -v ${root}:${root} nats:2.11-alpine nats-server --config ${join(root, 'nats.conf')}`,
    );
  });

  (isLinux ? it : it.skip)('goes on when Docker has no engine, or cannot get the image', async () => {
    await publishNats();
    await placeInPath('docker', 'test "$1" = info && exit 0; echo "no route to the registry" >&2; exit 1');
    expect(await output(await find())).toBe('nats stand-in');
    expect(said).toContainEqual(expect.stringContaining('cannot be pulled: no route to the registry'));

    await rm(join(root, 'bin'), { recursive: true });
    await placeInPath('docker', 'exit 1');
    said = [];
    await find();
    expect(said).toContainEqual(expect.stringContaining('no Docker engine answers'));
  });

  (isLinux ? it : it.skip)("comes from the system's packages for root, who alone may install them", async () => {
    const install = `printf '#!/bin/sh\\necho packaged\\n' > ${join(root, 'path', 'nats-server')}`;
    await placeInPath('apk', `${install}; /bin/chmod +x ${join(root, 'path', 'nats-server')}`);
    await publishNats();

    const program = await find();
    expect(await output(program)).toBe(userInfo().uid === 0 ? 'packaged' : 'nats stand-in');
  });

  it('is missing with every way named, and nothing half-installed, when its checksum is wrong', async () => {
    await publishNats();
    for (const path of Object.keys(publisher.files)) {
      if (path.endsWith('SHA256SUMS'))
        publisher.files[path] = `${'0'.repeat(64)}  nats-server-v2.11.9-${SYSTEM}.tar.gz\n`;
    }

    await expect(find()).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringMatching(
        /^nats-server is missing \(PATH \(nats-server\): not there; .*Docker.*not installed\)\. Install it \(https:/,
      ),
    });
    expect(await readdir(join(root, 'bin'))).toEqual([]);
  });
});

describe('terraform', () => {
  const find = (): Promise<string> => obtain(terraform(options()), { say: (line) => said.push(line) });

  it('is taken from PATH, before OpenTofu', async () => {
    const tofu = await placeInPath('tofu', 'true');
    expect(await find()).toBe(tofu);
    const own = await placeInPath('terraform', 'true');
    expect(await find()).toBe(own);
  });

  it('comes from its release without an unpacker', async () => {
    publishTerraform();
    const program = await find();
    expect(await output(program)).toBe('Terraform v0.0.0');
    expect(await readdir(join(root, 'bin'))).toEqual(['terraform']);
  });

  it('names the host when the release cannot be reached', async () => {
    await publisher.stop();
    const { host } = new URL(publisher.url);
    await expect(find()).rejects.toThrow(
      `its release (${host}): cannot be fetched from ${host}: nothing listens there`,
    );
  });
});
