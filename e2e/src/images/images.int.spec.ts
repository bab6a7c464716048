import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { execFileSync } from 'node:child_process';
import { lstat, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { assembleAll, assembleOne, type AssembledImage } from './assembled.js';
import { ROOT, textOf } from './checkout.js';
import { composePlatform } from './compose-platform.js';
import { firstProcess } from './first-process.js';
import { machineCode } from './machine-code.js';

const SERVICES = ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'];
const PRODUCTION = [...SERVICES, 'init'];
/** Assembled twice: one with the console, and one with Terraform and a shell. */
const TWICE = ['lifecycle', 'cloud-mgmt'];
/** cloud-mgmt carries Terraform. */
const MOST_BYTES: Readonly<Record<string, number>> = { 'cloud-mgmt': 350e6 };
const MOST_BYTES_OF_OTHERS = 250e6;
/** Not that of this machine. */
const OTHER_ARCHITECTURE = process.arch === 'arm64' ? 'amd64' : 'arm64';
const BILL = 'usr/share/crate/sbom.cdx.json';
const HOME = 'opt/crate';

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
}

let directory: string;
let images: ReadonlyMap<string, AssembledImage>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-images-'));
  images = await assembleAll(join(directory, 'first'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function outOf(image: string): string {
  const found = images.get(image);
  if (!found) throw new Error(`There is no image ${image}`);
  return found.out;
}

/** Every file, folder and link of an image, from its root. */
async function pathsOf(image: string): Promise<readonly string[]> {
  const out = outOf(image);
  const entries = await readdir(out, { recursive: true, withFileTypes: true });
  return entries.map(({ parentPath, name }) => relative(out, join(parentPath, name))).sort();
}

/** Installed packages, by where they lie in the checkout. */
async function packagesOf(image: string): Promise<readonly string[]> {
  const manifest = /node_modules\/((?:@[^/]+\/)?[^/@][^/]*)\/package\.json$/;
  const paths = (await pathsOf(image)).filter((path) => manifest.test(path));
  return paths.map((path) => path.slice(HOME.length + 1, -'/package.json'.length));
}

interface Bill {
  readonly components: readonly { readonly purl?: string; readonly name: string; readonly version: string }[];
}

async function billOf(image: string): Promise<string> {
  return readFile(join(outOf(image), BILL), 'utf8');
}

/** What npm says that the console is built of, packages of ours left out; peers of these, such as React, it does not name. */
function packagesOfConsole(): readonly string[] {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--omit=dev', '--workspace=@crate/console'];
  const said = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64e6 });
  const { components } = JSON.parse(said) as { components: readonly { readonly purl: string }[] };
  const names = components.map(({ purl }) => decodeURIComponent(purl.replace(/^pkg:npm\/|\?.*$/g, '')));
  return names.filter((name) => !/^@(crate|types)\//.test(name));
}

describe('the images of an installation', () => {
  const locked = (JSON.parse(textOf('package-lock.json')) as { packages: Record<string, LockedPackage> }).packages;

  const shipped = new Set(
    Object.entries(locked)
      .filter(([, { dev }]) => dev === undefined)
      .map(
        ([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`,
      ),
  );

  it.each(PRODUCTION)('%s has no package that only develops or tests', async (image) => {
    const packages = await packagesOf(image);

    expect(packages.length).toBeGreaterThan(20);
    expect(packages.filter((path) => locked[path]?.dev !== undefined || locked[path]?.version === undefined)).toEqual(
      [],
    );
  });

  it.each(PRODUCTION)('%s has nothing of the sandbox', async (image) => {
    const paths = await pathsOf(image);

    expect(paths.filter((path) => path.includes('libs/sandbox') || path.includes('@crate/sandbox'))).toEqual([]);
  });

  it.each(PRODUCTION)('%s does not say of each pod that it is the same machine', async (image) => {
    expect(await pathsOf(image)).not.toContain('etc/machine-id');
  });

  it.each(PRODUCTION)('%s has neither sources nor tests nor declarations', async (image) => {
    const unwanted = /\.(spec|test)\.[cm]?js$|\.d\.[cm]?ts$|\.tsx?$|\.tsbuildinfo$|\/jest\.config/;

    expect((await pathsOf(image)).filter((path) => unwanted.test(path))).toEqual([]);
  });

  it.each(PRODUCTION)('%s is small', (image) => {
    const bytes = images.get(image)?.bytes ?? 0;

    expect(bytes).toBeGreaterThan(100e6);
    expect(bytes).toBeLessThan(MOST_BYTES[image] ?? MOST_BYTES_OF_OTHERS);
  });

  it.each(TWICE)('%s is the same, byte for byte, when it is assembled again', async (image) => {
    const again = await assembleOne(image, join(directory, 'again', image));
    expect(again.digest).toBe(images.get(image)?.digest);
  });

  it(`are for ${OTHER_ARCHITECTURE} as well, down to each library`, async () => {
    const { out } = await assembleOne('cluster-mgmt', join(directory, 'other'), OTHER_ARCHITECTURE);
    const found = await machineCode(out);
    const bill = await readFile(join(out, BILL), 'utf8');

    expect(Object.keys(found)).toEqual([OTHER_ARCHITECTURE]);
    expect(found[OTHER_ARCHITECTURE]).toEqual(expect.arrayContaining(['usr/local/bin/node', 'usr/bin/tini']));
    expect(new Set(bill.match(/(?<=[?&]arch=)\w+/g))).toEqual(new Set([OTHER_ARCHITECTURE]));
  });

  it.each(PRODUCTION)('%s lets nobody change it, and gives nobody rights by a file', async (image) => {
    const out = outOf(image);
    const odd = await Promise.all(
      (await pathsOf(image)).map(async (path) => {
        const stat = await lstat(join(out, path));
        if (stat.isSymbolicLink() || path === 'tmp') return [];
        return (stat.mode & 0o6022) !== 0 || (stat.mode & 0o004) === 0 ? [path] : [];
      }),
    );

    expect(odd.flat()).toEqual([]);
  });

  it.each(PRODUCTION)('%s states what is in it, and nothing else, in a bill that is valid CycloneDX', async (image) => {
    const text = await billOf(image);
    const flaw: unknown = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
    const stated = (JSON.parse(text) as Bill).components.flatMap(({ purl = '' }) => {
      const found = /^pkg:npm\/(.*)$/.exec(purl)?.[1];
      return found === undefined ? [] : [decodeURIComponent(found)];
    });
    const there = (await packagesOf(image)).map((path) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return `${name}@${locked[path]?.version}`;
    });

    const built = stated.filter((name) => !there.includes(name));

    expect(flaw).toBeNull();
    expect(stated).toEqual(expect.arrayContaining([...there, ...(image === 'lifecycle' ? packagesOfConsole() : [])]));
    if (image !== 'lifecycle') expect(built).toEqual([]);
    expect(built.filter((name) => !shipped.has(name))).toEqual([]);
  });

  it.each(SERVICES)('%s has the licences of what it carries', async (image) => {
    const text = await readFile(join(outOf(image), 'usr/share/crate/THIRD-PARTY-LICENCES.txt'), 'utf8');
    const { components } = JSON.parse(await billOf(image)) as Bill;
    // Those of Debian are in files of their own.
    const others = components.filter(({ purl }) => !purl?.startsWith('pkg:deb/'));
    const nameOf = ({ name, purl = '' }: Bill['components'][number]): string =>
      /^pkg:npm\/(.*)@/.exec(decodeURIComponent(purl))?.[1] ?? name;
    const missing = others.filter((each) => !text.includes(`${nameOf(each)} ${each.version} (`));
    const paths = await pathsOf(image);

    expect(missing).toEqual([]);
    expect(text).toContain('Node.js is licensed for use as follows');
    expect(paths).toEqual(
      expect.arrayContaining(['GPL-3', 'LGPL-2.1'].map((name) => `usr/share/common-licenses/${name}`)),
    );
  });

  it('have a shell only where other programs are started, and no package manager', async () => {
    const shells = await Promise.all(
      PRODUCTION.map(async (image) => ((await pathsOf(image)).includes('bin/sh') ? [image] : [])),
    );
    const tools = await Promise.all(
      PRODUCTION.map(async (image) =>
        (await pathsOf(image)).filter((path) => /bin\/(apt|dpkg|npm|npx|curl|wget|bash)$/.test(path)),
      ),
    );

    expect(shells.flat()).toEqual(['cloud-mgmt', 'cluster-mgmt']);
    expect(tools.flat()).toEqual([]);
  });

  it('lifecycle has the console, cloud-mgmt Terraform, and all of the services what their tables are made by', async () => {
    const has = async (image: string, path: string): Promise<boolean> => (await pathsOf(image)).includes(path);

    expect(await has('lifecycle', `${HOME}/console/index.html`)).toBe(true);
    expect(await has('lifecycle', `${HOME}/add-ons/docs`)).toBe(true);
    expect(await has('cloud-mgmt', 'usr/local/bin/terraform')).toBe(true);
    expect(await has('cloud-mgmt', `${HOME}/services/cloud-mgmt/prisma/migrations`)).toBe(true);
    expect(await has('cluster-mgmt', `${HOME}/services/cluster-mgmt/prisma/migrations`)).toBe(true);
    expect(await has('policy-mgmt', `${HOME}/services/policy-mgmt/packs`)).toBe(true);
    expect(images.get('cluster-mgmt')?.missing).toEqual(['rke']);
  });
});

firstProcess(() => images);
composePlatform(() => images);
