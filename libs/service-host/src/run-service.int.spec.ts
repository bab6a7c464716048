import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@crate/testing';
import { HostBench, NATS_PASSWORD } from './testing/host-bench.js';

const INDEX = fileURLToPath(new URL('../dist/index.js', import.meta.url));
const RUN_SERVICE = fileURLToPath(new URL('../dist/run-service.js', import.meta.url));

let bench: HostBench;
beforeAll(async () => {
  bench = await HostBench.start();
});
afterAll(async () => bench.close());

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly error?: { readonly message: string; readonly causes?: readonly { readonly field: string }[] };
}

/** A service process of its own. */
class ServiceProcess {
  output = '';
  readonly exitCode: Promise<number | null>;
  private readonly child;

  /** `onNextStart`: of a second one that the process runs. */
  constructor(env: Record<string, string>, onStart = '', onStop = '', onNextStart?: string) {
    const program = `
      import { runService, hostConfig, SERVICE_PARTS } from ${JSON.stringify(INDEX)};
      import { runServices } from ${JSON.stringify(RUN_SERVICE)};
      function toy(onStart) {
        class Toy {}
        const useValue = { kinds: [], reconcilers: [], onStart, onStop: async () => { ${onStop} } };
        Reflect.defineMetadata('providers', [{ provide: SERVICE_PARTS, useValue }], Toy);
        Reflect.defineMetadata('exports', [SERVICE_PARTS], Toy);
        return { name: 'cloud-mgmt', module: Toy, config: hostConfig, migrations: [] };
      }
      const first = toy(async () => { ${onStart} });
      const next = toy(async () => { ${onNextStart} });
      if (${onNextStart === undefined}) await runService(first);
      else await runServices([first, next].map((options) => ({ options, environment: process.env })));`;
    this.child = spawn(process.execPath, ['--input-type=module', '-e', program], { env });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
    this.exitCode = new Promise((resolve) => this.child.once('close', resolve));
  }

  get lines(): readonly Line[] {
    const whole = this.output.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
    return whole.map((line) => JSON.parse(line) as Line);
  }

  async untilSaid(message: string): Promise<void> {
    await eventually(() => this.lines.some(({ msg }) => msg === message));
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

/** Everything a service has to be told, as `crate up` tells it. */
async function environment(): Promise<Record<string, string>> {
  const { database, nats, keys, encryption } = bench.config('cloud-mgmt');
  await mkdir(join(bench.directory, 'secrets'), { recursive: true });
  const urlFile = join(bench.directory, 'secrets', 'database-url');
  await writeFile(urlFile, database.url);
  return {
    CRATE_DATABASE_URL_FILE: urlFile,
    CRATE_NATS_URL: nats.url,
    CRATE_NATS_USER: nats.user,
    CRATE_NATS_PASSWORD: nats.password,
    CRATE_KEYS_PRIVATE_DIR: keys.privateDir,
    CRATE_KEYS_TRUST_DIR: keys.trustDir,
    CRATE_ENCRYPTION_KEYS_DIR: encryption.keysDir,
  };
}

describe('runService', () => {
  it('names every bad variable at once, and no value, before it opens anything', async () => {
    const bad = {
      ...(await environment()),
      CRATE_NATS_PASSWORD: '',
      CRATE_DATABASE_POOL_SIZE: 'plenty-of-them',
      CRATE_HEALTH_PORT: '99999',
      CRATE_RECONCILE_LEASE_MS: 'half-an-hour',
      CRATE_LOG_LEVEL: 'chatty',
    };
    const service = new ServiceProcess(bad);

    expect(await service.exitCode).toBe(1);
    expect(service.lines).toHaveLength(1);
    const [line] = service.lines;
    expect(line).toMatchObject({ level: 'error', msg: 'Refusing the configuration' });
    const names = ['NATS_PASSWORD', 'DATABASE_POOL_SIZE', 'HEALTH_PORT', 'RECONCILE_LEASE_MS', 'LOG_LEVEL'];
    for (const name of names) expect(line?.error?.message).toContain(`CRATE_${name}`);
    for (const value of ['plenty-of-them', '99999', 'half-an-hour', 'chatty'])
      expect(service.output).not.toContain(value);
  });

  it('warns of variables that nobody knows, and runs', async () => {
    const service = new ServiceProcess({ ...(await environment()), CRATE_NATS_PASWORD: 'x' });
    await service.untilSaid('Started');
    expect(service.lines).toContainEqual(expect.objectContaining({ level: 'warn', variables: ['CRATE_NATS_PASWORD'] }));
    service.kill('SIGTERM');
    await service.exitCode;
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('stops in order at %s', async (signal) => {
    const service = new ServiceProcess(await environment());
    await service.untilSaid('Started');
    service.kill(signal);

    expect(await service.exitCode).toBe(0);
    expect(service.lines.map(({ msg }) => msg).slice(-3)).toEqual(['Started', 'Stopping', 'Stopped']);
    // A server may take a moment to let go of those that were closed.
    await eventually(async () => expect(await bench.openConnections()).toEqual({ postgres: 0, nats: 0 }));
  });

  it('ends when its stop takes longer than it may', async () => {
    const hangs = 'await new Promise((resolve) => setTimeout(resolve, 600_000));';
    const service = new ServiceProcess({ ...(await environment()), CRATE_STOP_MS: '1s' }, '', hangs);
    await service.untilSaid('Started');
    const askedAt = performance.now();
    service.kill('SIGTERM');
    expect(await service.exitCode).toBe(1);
    // Long before it would without being told.
    expect(performance.now() - askedAt).toBeLessThan(15_000);
  });

  it('stops those in order that run while another one still starts', async () => {
    const givesUp = `process.kill(process.pid, 'SIGTERM');
      await new Promise((resolve) => process.once('SIGTERM', resolve));
      throw new Error('Given up');`;
    const service = new ServiceProcess(await environment(), '', '', givesUp);
    expect(await service.exitCode).toBe(0);
    expect(service.lines.map(({ msg }) => msg).slice(-3)).toEqual(['Started', 'Stopping', 'Stopped']);
  });

  it('stops in order when the database was set back under several services, each of which notices it', async () => {
    const host = await bench.start('cloud-mgmt', {});
    const { database } = host.foundation;
    await database.execute('UPDATE resource_head SET revision = revision + 50');
    const recovery = {
      CRATE_RECOVERY_MARKER_FILE: join(bench.directory, 'memory.json'),
      CRATE_RECOVERY_NOTE_MS: '100',
    };
    const service = new ServiceProcess({ ...(await environment()), ...recovery }, '', '', '');
    const said = (message: string): number => service.lines.filter(({ msg }) => msg === message).length;
    await eventually(() => expect(said('Started')).toBe(2));

    await database.execute('UPDATE resource_head SET revision = 1');

    expect(await service.exitCode).toBe(0);
    expect(said('The database was set back while this process ran')).toBe(2);
    expect(said('Stopped')).toBe(2);
    await bench.stop(host);
  });

  it('stops at once while it still waits for NATS', async () => {
    process.kill(bench.nats.pid, 'SIGKILL');
    const service = new ServiceProcess(await environment());
    await service.untilSaid('Waiting for NATS');
    service.kill('SIGTERM');
    expect(await service.exitCode).toBe(0);
    await bench.nats.restart();
  });

  it.each([
    { reason: 'a failed start', code: `throw new Error('no: ${NATS_PASSWORD}')`, text: 'Ending after a failed start' },
    {
      reason: 'an error that nobody caught',
      code: `setTimeout(() => { throw new Error('no: ${NATS_PASSWORD}') }, 1)`,
      text: 'Ending after an unexpected error',
    },
  ])('ends with its last words in the log after $reason, without a secret in them', async ({ code, text }) => {
    const service = new ServiceProcess(await environment(), code);
    expect(await service.exitCode).toBe(1);
    expect(service.lines.at(-1)).toMatchObject({ level: 'error', msg: text });
    expect(service.lines.at(-1)?.error?.message).toMatch(/^no: /);
    expect(service.output).not.toContain(NATS_PASSWORD);
  });
});
