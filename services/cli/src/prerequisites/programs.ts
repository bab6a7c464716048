import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { arch, platform, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installRelease, type Release } from './download.js';
import { findProgram } from './find-program.js';
import type { Prerequisite, Source } from './prerequisite.js';
import { readZipEntry } from './zip.js';

const run = promisify(execFile);

const NATS_VERSION = '2.11.9';
const TERRAFORM_VERSION = '1.11.4';
const PACKAGE_TIMEOUT_MS = 180_000;
const PULL_TIMEOUT_MS = 120_000;

export interface ProgramOptions {
  /** Value of PATH. */
  readonly searchPath: string;
  /** Where to look besides; other than the usual places for tests. */
  readonly extraDirectories?: readonly string[];
  /** Where downloads and wrappers go. */
  readonly binDirectory: string;
  /** Where releases are fetched from; other than the publishers' own for mirrors. */
  readonly natsReleases?: string;
  readonly terraformReleases?: string;
}

/** nats-server from PATH, Docker, the system's packages, or its pinned release, in this order. */
export function natsServer(options: ProgramOptions): Prerequisite {
  const target = join(options.binDirectory, 'nats-server');
  return {
    program: 'nats-server',
    sources: [
      inPath('nats-server', options),
      earlierDownload(target),
      dockerWrapper('nats:2.11-alpine', 'nats-server', options),
      systemPackage('nats-server', options),
      pinnedRelease(natsRelease(options.natsReleases), target),
    ],
    remedy: 'Install it (https://docs.nats.io/running-a-nats-service/introduction/installation) and start again',
  };
}

/** Terraform or OpenTofu from PATH, or the pinned Terraform release. */
export function terraform(options: ProgramOptions): Prerequisite {
  const target = join(options.binDirectory, 'terraform');
  return {
    program: 'terraform',
    sources: [
      inPath('terraform', options),
      inPath('tofu', options),
      earlierDownload(target),
      pinnedRelease(terraformRelease(options.terraformReleases), target),
    ],
    remedy:
      'Install it (https://developer.hashicorp.com/terraform/install or https://opentofu.org/docs/intro/install) and start again',
  };
}

function inPath(name: string, options: ProgramOptions): Source {
  return { name: `PATH (${name})`, find: () => Promise.resolve(findIn(options, name)) };
}

function findIn({ searchPath, extraDirectories }: ProgramOptions, name: string): string | undefined {
  return findProgram([name], searchPath, extraDirectories);
}

function earlierDownload(target: string): Source {
  const find = (): string | undefined => findProgram([basename(target)], dirname(target), []);
  return { name: `an earlier download (${target})`, find: () => Promise.resolve(find()) };
}

/** A script that runs the image with the data directory mounted and the host's network, so that it behaves like the program. */
function dockerWrapper(image: string, program: string, options: ProgramOptions): Source {
  // Under a name of its own, so that it is never taken for the program when Docker is gone at the next start.
  const target = join(options.binDirectory, `${program}-in-docker`);
  return {
    name: `Docker (${image})`,
    find: async ({ say, signal }) => {
      const docker = findIn(options, 'docker');
      if (docker === undefined || platform() !== 'linux') return undefined;
      await run(docker, ['info'], { timeout: 10_000 }).catch(() => {
        throw new Error('no Docker engine answers');
      });
      say(`Pulling ${image}`);
      await run(docker, ['pull', '--quiet', image], { timeout: PULL_TIMEOUT_MS, signal }).catch((error: unknown) => {
        throw new Error(`the image cannot be pulled: ${lastWords(error)}`);
      });
      const mount = join(options.binDirectory, '..');
      const script = `#!/bin/sh\nexec '${docker}' run --rm --network host -v '${mount}:${mount}' ${image} ${program} "$@"\n`;
      await writeFile(target, script, { mode: 0o755 });
      return target;
    },
  };
}

function systemPackage(name: string, options: ProgramOptions): Source {
  return {
    name: `the system's package manager (${name})`,
    find: async ({ say, signal }) => {
      const [command, args] = packageManager(name, options) ?? [];
      if (command === undefined || args === undefined) return undefined;
      if (userInfo().uid !== 0 && !command.endsWith('brew')) throw new Error('needs root to install packages');
      say(`Installing ${name} with the system's package manager`);
      await run(command, args, { timeout: PACKAGE_TIMEOUT_MS, signal }).catch((error: unknown) => {
        throw new Error(`installing failed: ${lastWords(error)}`);
      });
      return findIn(options, name);
    },
  };
}

function packageManager(name: string, options: ProgramOptions): readonly [string, readonly string[]] | undefined {
  const find = (program: string): string | undefined => findIn(options, program);
  const [apt, apk, brew] = [find('apt-get'), find('apk'), find('brew')];
  if (apt !== undefined) {
    return ['sh', ['-c', `${apt} update -qq && DEBIAN_FRONTEND=noninteractive ${apt} install -y -qq ${name}`]];
  }
  if (apk !== undefined) return [apk, ['add', '--no-cache', name]];
  return brew === undefined ? undefined : [brew, ['install', name]];
}

function pinnedRelease(release: Release, target: string): Source {
  return {
    name: `its release (${new URL(release.archiveUrl).host})`,
    find: async ({ say, signal }) => {
      say(`Downloading ${release.archiveUrl}`);
      await installRelease(release, target, signal ? { signal } : {});
      return target;
    },
  };
}

function natsRelease(base = 'https://github.com/nats-io/nats-server/releases/download'): Release {
  const name = `nats-server-v${NATS_VERSION}-${platform()}-${goArch()}`;
  return {
    archiveUrl: `${base}/v${NATS_VERSION}/${name}.tar.gz`,
    checksumsUrl: `${base}/v${NATS_VERSION}/SHA256SUMS`,
    extract: async (archive, directory) => {
      const path = join(directory, 'archive.tar.gz');
      await writeFile(path, archive);
      await run('tar', ['-xzf', path, '-C', directory]);
      return join(directory, name, 'nats-server');
    },
  };
}

function terraformRelease(base = 'https://releases.hashicorp.com/terraform'): Release {
  const prefix = `${base}/${TERRAFORM_VERSION}/terraform_${TERRAFORM_VERSION}`;
  return {
    archiveUrl: `${prefix}_${platform()}_${goArch()}.zip`,
    checksumsUrl: `${prefix}_SHA256SUMS`,
    extract: async (archive, directory) => {
      const program = readZipEntry(archive, 'terraform');
      if (!program) throw new Error('the archive holds no terraform');
      const path = join(directory, 'terraform');
      await writeFile(path, program);
      return path;
    },
  };
}

/** What a program that failed said last. */
function lastWords(error: unknown): string {
  const { stderr } = error as { readonly stderr?: string };
  return (stderr?.trim() || String(error)).slice(-300);
}

function goArch(): string {
  return arch() === 'x64' ? 'amd64' : arch();
}
