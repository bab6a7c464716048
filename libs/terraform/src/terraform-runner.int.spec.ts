import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { conflict } from '@crate/errors';
import { ensureProcessGroupGone, observeProcessGroup, type ProcessIdentity } from '@crate/process';
import { eventually } from '@crate/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  findTerraform,
  parseState,
  ProgressTracker,
  terraformFailureOf,
  TerraformRunner,
  type TerraformBinary,
  type TerraformRunOptions,
  type TerraformWorkspace,
} from './index.js';
import { aState } from './testing/a-state.js';

const doomedService = fileURLToPath(new URL('./testing/doomed-service.mjs', import.meta.url));
const PATH = '/usr/local/bin:/usr/bin:/bin';
let binary: TerraformBinary;
let directory: string;

beforeAll(async () => {
  binary = await findTerraform({ path: PATH });
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-terraform-'));
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

const open = (graceMs = 20_000): Promise<TerraformWorkspace> =>
  new TerraformRunner({ binary, directory, path: PATH, graceMs }).open('uid-1');
const inWorkspace = (name: string): string => join(directory, 'workspaces', 'uid-1', name);
const quiet: TerraformRunOptions = { env: {}, redact: [] };

/** Resources that are created one after another; each one runs its command first. */
function chain(commands: Record<string, string>): Record<string, unknown> {
  const names = Object.keys(commands);
  const resources = names.map((name, index) => [
    name,
    {
      input: name,
      provisioner: [{ 'local-exec': { command: commands[name] } }],
      ...(index > 0 ? { depends_on: [`terraform_data.${names[index - 1]}`] } : {}),
    },
  ]);
  return {
    resource: { terraform_data: Object.fromEntries(resources) as unknown },
    output: { names: { value: names } },
  };
}

/** Keeps every state it is given. */
class FakeStore {
  readonly states: Uint8Array[] = [];
  failure: Error | undefined;
  readonly store = async (bytes: Uint8Array): Promise<void> => {
    if (this.failure) throw this.failure;
    this.states.push(bytes);
  };

  get known(): string[] {
    return (parseState(this.states.at(-1))?.resources ?? []).map(({ address }) => address).sort();
  }
}

describe('a run', () => {
  it('plans, shows, applies exactly the plan, and finds nothing to do afterwards', async () => {
    const workspace = await open();
    const store = new FakeStore();
    const progress = new ProgressTracker();
    const log: string[] = [];
    const run: TerraformRunOptions = {
      ...quiet,
      onEvent: (event) => void progress.observe(event),
      onLog: (line) => log.push(line),
    };
    await workspace.recover(undefined);
    await workspace.prepare(chain({ a: 'true', b: 'true' }), run);

    const plan = await workspace.plan(run);
    expect(plan).toMatchObject({ hasChanges: true, summary: { add: 2, change: 0, remove: 0 } });
    expect((await workspace.showPlan(run))['resource_changes']).toHaveLength(2);

    const state = await workspace.apply({ ...run, storeState: store.store });
    expect(state?.outputs).toMatchObject({ names: { value: ['a', 'b'] } });
    expect(Buffer.from(store.states.at(-1)!).equals(await readFile(inWorkspace('terraform.tfstate')))).toBe(true);
    expect(progress.current()).toMatchObject({ step: 2, steps: 2 });
    expect(log.some((line) => line.startsWith('Apply complete! Resources: 2 added'))).toBe(true);

    expect(await workspace.plan(quiet)).toMatchObject({ hasChanges: false });
  });

  it('takes everything away and leaves no file behind', async () => {
    const workspace = await open();
    const store = new FakeStore();
    await workspace.recover(undefined);
    await workspace.prepare(chain({ a: 'true' }), quiet);
    await workspace.plan(quiet);
    await workspace.apply({ ...quiet, storeState: store.store });

    expect(await workspace.plan({ ...quiet, destroy: true })).toMatchObject({
      hasChanges: true,
      summary: { remove: 1 },
    });
    const state = await workspace.apply({ ...quiet, storeState: store.store });
    expect(state?.resources).toEqual([]);

    await workspace.remove();
    await workspace.remove();
    expect(await readdir(join(directory, 'workspaces'))).toEqual([]);
  });

  it('passes no variable but the stated ones on, and shows no secret', async () => {
    const workspace = await open();
    const lines: string[] = [];
    await workspace.prepare(chain({ a: `echo "key=$SECRET_KEY"; env > ${directory}/env; exit 1` }), quiet);
    const run = {
      env: { SECRET_KEY: 's3cret-value' },
      redact: ['s3cret-value'],
      onLog: (line: string) => lines.push(line),
    };
    await workspace.plan(run);
    const error: unknown = await workspace
      .apply({ ...run, storeState: async () => undefined })
      .catch((e: unknown) => e);

    expect(lines.join('\n')).toContain('key=[redacted]');
    expect(lines.join('\n') + String(error)).not.toContain('s3cret-value');
    const names = (await readFile(join(directory, 'env'), 'utf8')).split('\n').map((line) => line.split('=')[0]);
    expect(names.filter((name) => /^(JEST|NODE|npm)_/.test(name ?? ''))).toEqual([]);
    expect((await stat(join(directory, 'workspaces', 'uid-1'))).mode & 0o077).toBe(0);
  });

  it('tells a failure with the address of the resource, and keeps what was created before', async () => {
    const workspace = await open();
    const store = new FakeStore();
    const message = 'api error VcpuLimitExceeded: You have requested more vCPU capacity';
    await workspace.prepare(chain({ a: 'true', b: `echo '${message}' >&2; exit 1`, c: 'true' }), quiet);
    await workspace.plan(quiet);
    const error: unknown = await workspace.apply({ ...quiet, storeState: store.store }).catch((e: unknown) => e);

    expect(terraformFailureOf(error)).toMatchObject({ code: 'QuotaExceeded', address: 'terraform_data.b' });
    expect(store.known).toEqual(['terraform_data.a', 'terraform_data.b']);
  });

  it('takes an object into the state that exists already, once', async () => {
    const workspace = await open();
    await workspace.prepare(chain({ a: 'true', b: 'true' }), quiet);

    expect(await workspace.importObject('terraform_data.b', 'made-before', quiet)).toBe(true);
    expect(await workspace.importObject('terraform_data.b', 'made-before', quiet)).toBe(false);
    expect((await workspace.readState())?.resources).toEqual([
      { address: 'terraform_data.b', type: 'terraform_data', id: 'made-before' },
    ]);
    expect(await workspace.plan(quiet)).toMatchObject({ summary: { add: 1, remove: 0 } });

    expect(await workspace.importInstead('terraform_data.b', 'made-since', quiet)).toBe(true);
    expect((await workspace.readState())?.resources).toEqual([expect.objectContaining({ id: 'made-since' })]);
    expect(existsSync(inWorkspace('trial.tfstate'))).toBe(false);
  });

  it.each([
    {
      name: 'a provider that cannot be installed',
      want: 'ProviderNotInstalled',
      configuration: { terraform: { required_providers: { x: { source: 'localhost/no/such' } } } },
    },
    {
      name: 'a configuration that is wrong',
      want: 'TerraformFailed',
      configuration: { resource: { terraform_data: { a: { input: '${nothing.here}' } } } },
    },
  ])('tells $name', async ({ configuration, want }) => {
    const workspace = await open();
    const attempt = async (): Promise<void> => {
      await workspace.prepare(configuration, quiet);
      await workspace.plan(quiet);
    };

    const failure = terraformFailureOf(await attempt().catch((error: unknown) => error));
    expect(failure?.message).not.toBe('');
    expect(failure?.code).toBe(want);
  });
});

describe('preparation', () => {
  const withModule = { module: { m: { source: './m' } } };

  beforeEach(async () => {
    await mkdir(inWorkspace('m'), { recursive: true });
    await writeFile(inWorkspace('m/m.tf.json'), '{"resource":{"terraform_data":{"a":{}}}}');
  });

  it.each(['provider', 'Provider'])('installs nothing that only a state asks for: %s', async (field) => {
    const workspace = await open();
    const foreign = { [field]: 'provider["localhost/no/such"]', instances: [{ attributes: { id: 'a' } }] };
    const resources = [{ mode: 'managed', type: 'such_thing', name: 'a', ...foreign }];
    await workspace.recover(aState({ terraform_version: '1.9.0', resources }));

    expect(await workspace.prepare(withModule, quiet)).toEqual({ initialised: true });
    for (const destroy of [false, true]) {
      const failure = terraformFailureOf(await workspace.plan({ ...quiet, destroy }).catch((error: unknown) => error));
      expect(failure).toMatchObject({
        code: 'StateInvalid',
        message: expect.stringContaining('localhost/no/such'),
        retryable: false,
      });
    }
  });

  it.each([false, true])('leaves alone what a newer provider wrote, destroy: %s', async (destroy) => {
    const workspace = await open();
    const provider = 'provider["terraform.io/builtin/terraform"]';
    const instances = [{ schema_version: 99, attributes: { id: 'a' } }];
    const resources = [{ mode: 'managed', type: 'terraform_data', name: 'a', provider, instances }];
    await workspace.recover(aState({ terraform_version: '1.9.0', resources }));

    await workspace.prepare({ resource: { terraform_data: { a: {} } } }, quiet);
    const failure = terraformFailureOf(await workspace.plan({ ...quiet, destroy }).catch((error: unknown) => error));
    expect(failure).toMatchObject({
      code: 'StateOfNewerRelease',
      message: expect.stringContaining('terraform_data.a'),
    });
  });

  it('installs once for one configuration, and again for another', async () => {
    const workspace = await open();

    expect(await workspace.prepare(withModule, quiet)).toEqual({ initialised: true });
    expect(await workspace.prepare(withModule, quiet)).toEqual({ initialised: false });
    expect(await workspace.prepare({ ...withModule, output: { x: { value: 1 } } }, quiet)).toEqual({
      initialised: false,
    });
    expect(await (await open()).prepare(withModule, quiet)).toEqual({ initialised: false });

    await rm(inWorkspace('.terraform'), { recursive: true });
    expect(await workspace.prepare(withModule, quiet)).toEqual({ initialised: true });
    await expect(workspace.plan(quiet)).resolves.toMatchObject({ hasChanges: true });
  });
});

describe('an interrupted run', () => {
  const slow = chain({ a: 'true', b: 'touch started; while :; do sleep 0.05; done', c: 'true' });

  async function begin(
    store: FakeStore,
    run: Partial<TerraformRunOptions> = {},
  ): Promise<{ applied: Promise<unknown>; identity: () => ProcessIdentity }> {
    const workspace = await open(2_000);
    let identity: ProcessIdentity | undefined;
    await workspace.recover(undefined);
    await workspace.prepare(slow, quiet);
    await workspace.plan(quiet);
    const options = {
      ...quiet,
      ...run,
      storeState: store.store,
      onStart: (started: ProcessIdentity) => void (identity = started),
    };
    const applied = workspace.apply(options).catch((error: unknown) => error);
    await eventually(() => existsSync(inWorkspace('started')));
    return { applied, identity: () => identity! };
  }

  /** Finishes what an interrupted run began, and gives the addresses that it had to create. */
  async function takeUp(store: FakeStore): Promise<string[]> {
    const workspace = await open();
    await workspace.recover(store.states.at(-1));
    await workspace.prepare(chain({ a: 'true', b: 'true', c: 'true' }), quiet);
    const created: string[] = [];
    const run: TerraformRunOptions = {
      ...quiet,
      onEvent: (event) => {
        if (event.type === 'apply_complete' && event.hook.action === 'create') created.push(event.hook.resource.addr);
      },
    };
    await workspace.plan(run);
    const state = await workspace.apply({ ...run, storeState: store.store });
    expect(state?.resources.map(({ address }) => address).sort()).toEqual([
      'terraform_data.a',
      'terraform_data.b',
      'terraform_data.c',
    ]);
    return created;
  }

  it('stops on request, stores the state, and goes on later', async () => {
    const store = new FakeStore();
    const stop = new AbortController();
    const { applied } = await begin(store, { signal: stop.signal });
    stop.abort();

    expect(terraformFailureOf(await applied)).toMatchObject({ code: 'Interrupted', retryable: true });
    expect(store.known).toContain('terraform_data.a');
    expect(await takeUp(store)).not.toContain('terraform_data.a');
  });

  it('survives SIGKILL of Terraform, group and all', async () => {
    const store = new FakeStore();
    const { applied, identity } = await begin(store);
    process.kill(-identity().pgid, 'SIGKILL');

    expect(terraformFailureOf(await applied)).toMatchObject({
      code: 'TerraformKilled',
      message: 'Terraform was ended by SIGKILL',
    });
    expect(await observeProcessGroup(identity())).toBe('gone');
    expect(existsSync(inWorkspace('.terraform.tfstate.lock.info'))).toBe(false);
    expect(await takeUp(store)).toEqual(['terraform_data.b', 'terraform_data.c']);
  });

  it('stops when a newer holder took over', async () => {
    const store = new FakeStore();
    store.failure = conflict('A newer holder has written this secret');
    const { applied } = await begin(store);

    expect(await applied).toMatchObject({ code: 'Conflict' });
  });

  it('keeps the state while the store is down, and stores it once it is back', async () => {
    const store = new FakeStore();
    const stop = new AbortController();
    store.failure = new Error('The database is down');
    const { applied } = await begin(store, { signal: stop.signal });
    expect((await (await open()).readState())?.resources).not.toEqual([]);
    store.failure = undefined;

    await eventually(() => expect(store.known).toContain('terraform_data.a'));
    stop.abort();
    await applied;
  });

  it('survives SIGKILL of the service that started it', async () => {
    await planOnly();
    const parent = spawn(process.execPath, [doomedService, binary.path, directory, PATH], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(parent, 'exit');
    await eventually(() => existsSync(inWorkspace('started')));
    const identity = JSON.parse(await readFile(join(directory, 'identity.json'), 'utf8')) as ProcessIdentity;
    expect(await observeProcessGroup(identity)).toBe('alive');

    parent.kill('SIGKILL');
    await ended;
    // Terraform was asked to stop by the end of its parent; nobody else tells it.
    await eventually(async () => (await observeProcessGroup(identity)) === 'gone');
    expect(await ensureProcessGroupGone(identity, 0)).toBe('gone');

    const state = await (await open()).recover(undefined);
    expect(state?.resources.map(({ address }) => address)).toContain('terraform_data.a');
    expect(await takeUp(new FakeStore())).not.toContain('terraform_data.a');
  });

  /** The plan that the doomed service applies. */
  async function planOnly(): Promise<void> {
    const workspace = await open();
    await workspace.recover(undefined);
    await workspace.prepare(slow, quiet);
    await workspace.plan(quiet);
  }
});
