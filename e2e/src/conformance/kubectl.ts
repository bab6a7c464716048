import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

/** Where machines with several kubectl versions keep them. */
const VERSIONS_DIRECTORY = '/usr/lib/google-cloud-sdk/bin';
const VERSIONS = ['1.27', '1.28', '1.29', '1.30', '1.31', '1.32', '1.33'];
const PATIENCE_MS = 60_000;
const OUTPUT_BYTES = 64 * 1024 * 1024;

/** A kubectl program, or why there is none. */
export interface KubectlProgram {
  readonly version: string;
  readonly path?: string;
  readonly absent?: string;
}

/** Every kubectl that may be on a machine; the one in PATH may be any version, or choose one by the server's. */
export function kubectlPrograms(): readonly KubectlProgram[] {
  const { error } = spawnSync('kubectl', ['version', '--client']);
  const own = { version: 'in PATH', ...(error ? { absent: 'no kubectl in PATH' } : { path: 'kubectl' }) };
  return [...VERSIONS.map(versioned), own];
}

/** The oldest and the newest of them that are there, between which the others are; where there are no versions, the one in PATH. */
export function kubectlEdges(): readonly KubectlProgram[] {
  const programs = kubectlPrograms();
  const there = programs.slice(0, -1).filter(({ absent }) => absent === undefined);
  return there.length > 1 ? [there.at(0)!, there.at(-1)!] : programs.slice(-1);
}

function versioned(version: string): KubectlProgram {
  const path = join(VERSIONS_DIRECTORY, `kubectl.${version}`);
  try {
    accessSync(path, constants.X_OK);
    return { version, path };
  } catch {
    return { version, absent: `no ${path}` };
  }
}

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly input?: string;
  readonly env?: Record<string, string>;
}

/** One kubectl as one person in one Project, with a configuration and cache of its own. */
export class Kubectl {
  private static readonly directories: string[] = [];

  private constructor(
    private readonly program: string,
    readonly directory: string,
  ) {}

  static async as(program: string, kubeconfig: string, namespace: string): Promise<Kubectl> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-conformance-'));
    const config = parse(kubeconfig) as { contexts: { context: { namespace?: string } }[] };
    for (const { context } of config.contexts) context.namespace = namespace;
    Kubectl.directories.push(directory);
    writeFileSync(join(directory, 'config'), stringify(config));
    mkdirSync(join(directory, 'home'));
    return new Kubectl(program, directory);
  }

  /** What all of them left on disk. */
  static removeAll(): void {
    for (const directory of Kubectl.directories.splice(0)) rmSync(directory, { recursive: true, force: true });
  }

  run(args: readonly string[], { input = '', env = {} }: RunOptions = {}): Promise<Finished> {
    return new Promise((resolve) => {
      const options = { timeout: PATIENCE_MS, maxBuffer: OUTPUT_BYTES };
      const child = execFile('env', [...this.settings(env), this.program, ...args], options, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      );
      child.stdin?.on('error', () => undefined).end(input);
    });
  }

  /** What it printed; rejects when it failed. */
  async ok(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    assert.equal(code, 0, `kubectl ${args.join(' ')} failed: ${stderr}`);
    return stdout;
  }

  /** What it complained of; rejects when it did not fail. */
  async fails(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    assert.notEqual(code, 0, `kubectl ${args.join(' ')} did not fail: ${stdout}`);
    return stderr;
  }

  /** One that keeps running, such as a watch. */
  start(args: readonly string[]): Running {
    const child = spawn('env', [...this.settings({}), this.program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    return new Running(child, args);
  }

  /** The environment in the form that `env` takes. */
  private settings(extra: Record<string, string>): string[] {
    const own = { KUBECONFIG: join(this.directory, 'config'), HOME: join(this.directory, 'home') };
    return Object.entries({ ...own, ...extra }).map(([name, value]) => `${name}=${value}`);
  }
}

/** A kubectl that runs until it is stopped. */
export class Running {
  private output = '';
  private readonly ended: Promise<void>;

  constructor(
    private readonly child: ChildProcess,
    private readonly args: readonly string[],
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => (this.output += chunk));
    }
    this.ended = new Promise((resolve) => child.once('close', () => resolve()));
  }

  /** All it printed once that matches; rejects when it ends or the time is up before. */
  async prints(expected: RegExp): Promise<string> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!expected.test(this.output)) {
      const isOver = this.child.exitCode !== null || Date.now() > deadline;
      assert.ok(!isOver, `kubectl ${this.args.join(' ')} did not print ${String(expected)} but ${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this.output;
  }

  /** All it printed, once it has ended by itself and well; rejects when it fails or the time is up before. */
  async ends(): Promise<string> {
    const command = `kubectl ${this.args.join(' ')}`;
    const deadline = AbortSignal.timeout(PATIENCE_MS);
    const late = once(deadline, 'abort').then(() => assert.fail(`${command} did not end, and printed ${this.output}`));
    await Promise.race([this.ended, late]);
    assert.equal(this.child.exitCode, 0, `${command} failed: ${this.output}`);
    return this.output;
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
  }
}
