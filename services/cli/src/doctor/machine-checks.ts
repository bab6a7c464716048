import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { isFree, postgresBinaries } from '@crate/local-servers';
import { findProgram } from '../prerequisites/find-program.js';
import { findPortHolder } from '../up/port-holder.js';
import { DEFAULT_API_PORT } from '../up/settings.js';
import { fail, ok, warn, type Check, type Finding } from './check.js';

const run = promisify(execFile);

const AREA = 'machine';
const GIB = 1024 ** 3;
const OLDEST_NODE = 22;
const PROGRAM_MS = 10_000;

/** What the machine is looked at with. */
export interface MachineFacts {
  readonly searchPath: string;
  readonly dataDir: string;
  /** Whether a platform runs here already, which holds its port. */
  readonly isRunning: boolean;
  readonly proxies: Readonly<Record<string, string>>;
}

interface Program {
  readonly names: readonly string[];
  readonly args: readonly string[];
  readonly version: RegExp;
  /** What happens without it. */
  readonly without: string;
  readonly remedy: string;
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  terraform: {
    names: ['terraform', 'tofu'],
    args: ['version'],
    version: /v(\d+\.\d+\.\d+)/,
    without: 'crate up downloads it',
    remedy: 'Nothing, where downloads are allowed; else https://developer.hashicorp.com/terraform/install',
  },
  'nats-server': {
    names: ['nats-server'],
    args: ['--version'],
    version: /v(\d+\.\d+\.\d+)/,
    without: 'crate up takes it from Docker, the packages of the system, or its release',
    remedy:
      'Nothing, where downloads are allowed; else https://docs.nats.io/running-a-nats-service/introduction/installation',
  },
  kubectl: {
    names: ['kubectl'],
    args: ['version', '--client'],
    version: /v(\d+\.\d+\.\d+)/,
    without: 'crate get, apply and delete do without',
    remedy: 'For what runs inside clusters: https://kubernetes.io/docs/tasks/tools/',
  },
};

/** What `crate up` and the other commands need of this machine. */
export function machineChecks(facts: MachineFacts): readonly Check[] {
  const programs = Object.entries(PROGRAMS).map(([name, program]) => ({
    name,
    look: async () => programFinding(name, program, facts.searchPath),
  }));
  const checks: readonly Omit<Check, 'area'>[] = [
    { name: 'node', look: () => nodeFinding(process.versions.node) },
    ...programs,
    { name: 'postgres', look: postgresFinding },
    { name: 'disk', look: async () => diskFinding(facts.dataDir, await freeBytes(facts.dataDir)) },
    { name: 'memory', look: async () => memoryFinding(await availableBytes(), totalmem()) },
    { name: 'open files', look: async () => openFilesFinding(await findOpenFileLimit()) },
    { name: 'port', look: async () => portFinding(facts.isRunning) },
    { name: 'proxy', look: () => proxyFinding(facts.proxies) },
  ];
  return checks.map((check) => ({ area: AREA, ...check }));
}

export function nodeFinding(version: string): Finding {
  if (Number(version.split('.')[0]) >= OLDEST_NODE) return ok(`v${version}`);
  return fail(
    `v${version} is too old`,
    `Start it with npm run crate, which takes the Node that npm ci brings; or install Node ${OLDEST_NODE} or newer`,
  );
}

async function programFinding(name: string, program: Program, searchPath: string): Promise<Finding> {
  const path = findProgram(program.names, searchPath);
  if (path === undefined) return warn(`There is no ${name}; ${program.without}`, program.remedy);
  const { stdout } = await run(path, [...program.args], { timeout: PROGRAM_MS }).catch((error: Error) => {
    throw new Error(`${path} does not work: ${error.message.split('\n')[0]}`);
  });
  return ok(`${program.version.exec(stdout)?.[1] ?? 'of an unknown version'} at ${path}`);
}

async function postgresFinding(): Promise<Finding> {
  try {
    const { postgres } = await postgresBinaries();
    const { stdout } = await run(postgres, ['--version'], { timeout: PROGRAM_MS });
    return ok(stdout.trim());
  } catch (error) {
    const remedy = 'Run npm ci again; optional dependencies are needed. Or: crate up --database-url-file FILE';
    return fail(`The PostgreSQL that ships does not run here: ${(error as Error).message.split('\n')[0]}`, remedy);
  }
}

export function diskFinding(place: string, free: number): Finding {
  const message = `${gib(free)} free for ${place}`;
  const remedy = 'Free some space, or choose another place with --data-dir';
  if (free < GIB) return fail(message, remedy);
  return free < 5 * GIB ? warn(message, remedy) : ok(message);
}

async function freeBytes(place: string): Promise<number> {
  let existing = place;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const { bavail, bsize } = await statfs(existing);
  return bavail * bsize;
}

export function memoryFinding(available: number, total: number): Finding {
  const message = `${gib(available)} of ${gib(total)} available`;
  const remedy = 'The platform takes about 1.5 GiB: end other programs, or take a bigger machine';
  if (available < GIB) return fail(message, remedy);
  return available < 2 * GIB ? warn(message, remedy) : ok(message);
}

/** What programs could still get: the free memory alone leaves out caches. */
async function availableBytes(): Promise<number> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const kibibytes = /^MemAvailable:\s+(\d+) kB/m.exec(text)?.[1];
  return kibibytes === undefined ? freemem() : Number(kibibytes) * 1024;
}

export function openFilesFinding(limit: number | undefined): Finding {
  if (limit === undefined) return ok('No limit that this system tells');
  const message = limit === Infinity ? 'No limit' : `${limit} per process`;
  if (limit >= 4_096) return ok(message);
  return warn(message, 'Raise it before crate up: ulimit -n 8192');
}

async function findOpenFileLimit(): Promise<number | undefined> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const soft = /^Max open files\s+(\S+)/m.exec(text)?.[1];
  if (soft === undefined) return undefined;
  return soft === 'unlimited' ? Infinity : Number(soft);
}

async function portFinding(isRunning: boolean): Promise<Finding> {
  if (await isFree(DEFAULT_API_PORT)) return ok(`${DEFAULT_API_PORT} is free`);
  const holder = findPortHolder(DEFAULT_API_PORT) ?? 'another program';
  if (isRunning) return ok(`${DEFAULT_API_PORT} is held by ${holder}`);
  return warn(
    `${DEFAULT_API_PORT} is held by ${holder}; crate up chooses another`,
    'Or say one: crate up --port NUMBER',
  );
}

/** Local addresses must not go through a proxy, and those of the platform do not. */
export function proxyFinding(proxies: Readonly<Record<string, string>>): Finding {
  const { NO_PROXY: exceptions = '', ...set } = proxies;
  const names = Object.keys(set);
  if (names.length === 0) return ok('None is set');
  const isLocalDirect = exceptions.split(',').some((each) => /^\s*(\*|localhost|127\.)/.test(each));
  const message = `${names.join(', ')} set; crate reaches the platform without it`;
  if (isLocalDirect) return ok(message);
  return warn(message, 'Have local addresses left out, for kubectl: NO_PROXY=localhost,127.0.0.0/8');
}

function gib(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`;
}
