import { forbidden, unavailable } from '@crate/errors';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DatedObject } from '@crate/service-host';
import { InMemoryLogParts, RunLogs } from '@crate/run-log';
import { InMemorySecretStore } from '@crate/secrets';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import {
  parseState,
  type ApplyOptions,
  type TerraformRunner,
  type TerraformState,
  type TerraformWorkspace,
} from '@crate/terraform';
import { InfrastructureClouds } from '../infrastructure/infrastructure-cloud.js';
import { InMemoryCloud } from '../testing/in-memory-cloud.js';
import { editedStateFacts, STATE_KIND } from '../terraform-state/state-facts.js';
import { InMemoryTerraformRunRepository } from './in-memory-terraform-run.repository.js';
import { runDurations } from './run-metrics.js';
import { StateKeeper } from './state-keeper.js';
import { TerraformExecutor, type TerraformTask } from './terraform-executor.js';

const UID = 'u1';
const PERSON = { by: 'root', reason: 'what was there before' };

let secrets: InMemorySecretStore;
let runs: InMemoryTerraformRunRepository;
let executor: TerraformExecutor;
/** What is in the workspace, and what happens while that is compared with the store. */
let left: Buffer | undefined;
let meanwhile: () => Promise<void>;
let planned: (TerraformState | undefined)[];
/** The plan; undefined while there is nothing to do. */
let document: Record<string, unknown> | undefined;
let applied: ApplyOptions[];
let onApply: () => Promise<void>;

beforeEach(() => {
  secrets = new InMemorySecretStore();
  runs = new InMemoryTerraformRunRepository();
  left = undefined;
  meanwhile = () => Promise.resolve();
  planned = [];
  document = undefined;
  applied = [];
  onApply = () => Promise.resolve();
  executor = anExecutor();
});

function anExecutor(): TerraformExecutor {
  const logger = new InMemoryLogger();
  return new TerraformExecutor({
    ...{ runs, logger, graceMs: 0, silentAfterMs: 0, states: new StateKeeper(secrets) },
    runner: { open: () => Promise.resolve(aWorkspace()) } as unknown as TerraformRunner,
    logs: new RunLogs({ parts: new InMemoryLogParts(), logger, keepRuns: 1 }),
    durations: runDurations(new InMemoryMetrics()),
  });
}

/** A workspace whose configuration asks for nothing that is not there, unless its plan says so. */
function aWorkspace(): TerraformWorkspace {
  let current: TerraformState | undefined;
  const workspace = {
    recover: async (stored: Uint8Array | undefined) => {
      current = parseState(left) ?? parseState(stored);
      await meanwhile();
      return current;
    },
    prepare: () => Promise.resolve(),
    plan: () => {
      planned.push(current);
      const summary = { add: 0, change: 0, remove: 0 };
      return Promise.resolve({ hasChanges: document !== undefined, isStateStale: false, summary });
    },
    showPlan: () => Promise.resolve(document),
    apply: async (options: ApplyOptions) => {
      applied.push(options);
      await onApply();
      return current;
    },
    readState: () => Promise.resolve(current),
  };
  return workspace as unknown as TerraformWorkspace;
}

function aState(serial: number): Buffer {
  return Buffer.from(JSON.stringify({ version: 4, serial, lineage: 'a', outputs: {}, resources: [] }));
}

/** As a restore does it: the row first, while no run is open. */
async function putInPlace(serial: number): Promise<void> {
  const [last] = await runs.list(UID);
  await runs.recordEdit(UID, (last?.epoch ?? 0n) + 1n);
  const bytes = aState(serial);
  await secrets.put(UID, STATE_KIND, bytes, { facts: (version) => editedStateFacts(bytes, version, PERSON) });
}

function execute(epoch: bigint, changes: Partial<TerraformTask> = {}): Promise<TerraformState | undefined> {
  return executor.execute({
    ...{ infrastructureUid: UID, kind: 'apply', epoch, generation: 1, document: {} },
    owner: {} as DatedObject,
    signal: new AbortController().signal,
    openRuntime: () => Promise.resolve({ id: undefined, env: {}, secrets: [] }),
    closeRuntime: () => Promise.resolve(),
    findLost: () => Promise.resolve({ adoptions: [], document: {} }),
    review: () => Promise.resolve(),
    onProgress: () => undefined,
    ...changes,
  });
}

async function newest(): Promise<number | undefined> {
  return parseState((await secrets.find(UID, STATE_KIND))?.plain)?.serial;
}

describe('a state that a person puts in place while a run begins', () => {
  beforeEach(async () => {
    await secrets.put(UID, STATE_KIND, aState(5));
  });

  it('is not written over by the copy of a workspace', async () => {
    left = aState(6);
    meanwhile = () => putInPlace(7);

    await expect(execute(1n)).rejects.toMatchObject({ code: 'Conflict' });
    expect(await newest()).toBe(7);
    expect(planned).toEqual([]);
  });

  it('is what the run plans with that begins after it', async () => {
    const beforeTheLock = { mustLook: true, checkListing: () => putInPlace(7) };

    await expect(execute(1n, beforeTheLock)).rejects.toMatchObject({ code: 'Conflict' });
    expect(planned).toEqual([]);

    expect((await execute(2n))?.serial).toBe(7);
    expect(planned.map((state) => state?.serial)).toEqual([7]);
    expect(await newest()).toBe(7);
  });

  it('has lost resources looked for, though the last run had succeeded', async () => {
    await execute(1n);
    let looked = 0;
    const findLost = () => {
      looked += 1;
      return Promise.resolve({ adoptions: [], document: {} });
    };
    meanwhile = async () => {
      if ((await newest()) === 5) await putInPlace(7);
    };
    await expect(execute(2n, { findLost })).rejects.toMatchObject({ code: 'Conflict' });
    await execute(3n, { findLost });

    expect(looked).toBe(1);
  });
});

describe('a plan', () => {
  const resized = (name: string): Record<string, unknown> => ({
    ...{ address: `aws_instance.${name}`, mode: 'managed', type: 'aws_instance', name },
    change: { actions: ['update'], before: { instance_type: 'm5.large' }, after: { instance_type: 'm5.xlarge' } },
  });

  it.each([
    { name: 'stops several machines is applied one resource at a time', changes: ['a', 'b'], want: true },
    { name: 'stops one is applied as any other', changes: ['a'], want: false },
  ])('that $name', async ({ changes, want }) => {
    document = { resource_changes: changes.map(resized) };

    await execute(1n);
    expect(applied).toMatchObject([{ oneAtATime: want }]);
  });

  const verdict = { allowed: true, violations: [] };
  const isBegun = async (): Promise<boolean | undefined> => (await runs.list(UID))[0]?.hasBegun;

  it('is stored once, together with its review and that it is begun, before anything is done', async () => {
    document = { resource_changes: [resized('a')] };
    const saved = jest.spyOn(runs, 'savePlan');
    let before: boolean | undefined;
    const review = async (_: unknown, note: (noted: typeof verdict) => void): Promise<void> => {
      note(verdict);
      before = await isBegun();
    };
    onApply = async () => expect(await isBegun()).toBe(true);
    await execute(1n, { review });

    expect([before, applied.length, saved.mock.calls.length]).toEqual([false, 1, 1]);
    expect(await runs.findPlan(UID)).toMatchObject({
      changes: { resources: [{ address: 'aws_instance.a' }] },
      review: verdict,
    });
  });

  it('is shown to people with why it was refused, and is not begun', async () => {
    document = { resource_changes: [resized('a')] };
    const denied = { ...verdict, allowed: false };
    const review = (_: unknown, note: (noted: typeof verdict) => void): Promise<void> => {
      note(denied);
      return Promise.reject(forbidden('Denied'));
    };
    await expect(execute(1n, { review })).rejects.toMatchObject({ code: 'Forbidden' });

    expect(applied).toEqual([]);
    expect(await runs.findPlan(UID)).toMatchObject({ run: { hasBegun: false, state: 'failed' }, review: denied });
  });

  it('that is refused is told as such, though it could not be stored', async () => {
    document = { resource_changes: [resized('a')] };
    const savePlan = jest.spyOn(runs, 'savePlan').mockRejectedValue(unavailable('The database is away'));

    const review = (): Promise<void> => Promise.reject(forbidden('Denied'));
    await expect(execute(1n, { review })).rejects.toMatchObject({ code: 'Forbidden' });
    expect(savePlan).toHaveBeenCalledTimes(1);
    expect(applied).toEqual([]);
  });

  it('is not applied when it could not be stored that it is begun', async () => {
    document = { resource_changes: [resized('a')] };
    jest.spyOn(runs, 'savePlan').mockRejectedValue(unavailable('The database is away'));

    await expect(execute(1n)).rejects.toMatchObject({ code: 'Unavailable' });
    expect(applied).toEqual([]);
  });
});

describe('a run after one that was interrupted', () => {
  it('waits for the listing by the clock that dates runs, however far this host is ahead of it', async () => {
    const behind = (): Date => new Date(Date.now() - 5 * 60_000);
    runs = new InMemoryTerraformRunRepository(behind);
    executor = anExecutor();
    await runs.open({ id: 'r1', infrastructureUid: UID, kind: 'apply', epoch: 1n, generation: 1 });
    await runs.savePlan('r1', { summary: { add: 1, change: 0, remove: 0, import: 0 }, hasBegun: true });
    await runs.close('r1', 'interrupted');
    const cloud = new InMemoryCloud();
    cloud.provider.lagMs = 60_000;
    const { providers, credentials } = cloud;
    const { checkListing } = new InfrastructureClouds(providers, credentials).of(
      await cloud.ensureInfrastructure(),
      await cloud.ensureAccount(),
    );
    const { signal } = new AbortController();

    await expect(execute(2n, { checkListing: (past) => checkListing(past, signal) })).rejects.toMatchObject({
      details: { reason: 'WaitingForListing' },
    });
  });
});
