import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DatedObject } from '@crate/service-host';
import { InMemoryLogParts, RunLogs } from '@crate/run-log';
import { InMemorySecretStore } from '@crate/secrets';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { parseState, type TerraformRunner, type TerraformState, type TerraformWorkspace } from '@crate/terraform';
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

beforeEach(() => {
  secrets = new InMemorySecretStore();
  runs = new InMemoryTerraformRunRepository();
  left = undefined;
  meanwhile = () => Promise.resolve();
  planned = [];
  const logger = new InMemoryLogger();
  executor = new TerraformExecutor({
    ...{ runs, logger, graceMs: 0, states: new StateKeeper(secrets) },
    runner: { open: () => Promise.resolve(aWorkspace()) } as unknown as TerraformRunner,
    logs: new RunLogs({ parts: new InMemoryLogParts(), logger, keepRuns: 1 }),
    durations: runDurations(new InMemoryMetrics()),
  });
});

/** A workspace whose configuration asks for nothing that is not there. */
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
      return Promise.resolve({ hasChanges: false, isStateStale: false, summary: { add: 0, change: 0, remove: 0 } });
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
  await runs.recordEdit(UID);
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
