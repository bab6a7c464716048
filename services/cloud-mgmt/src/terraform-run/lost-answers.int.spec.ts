import type { Infrastructure } from '@crate/api';
import { typesOf } from '@crate/infra-aws';
import { eventually } from '@crate/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { TerraformBench } from '../testing/terraform-bench.js';

const PATIENCE = { timeoutMs: 60_000 };
/** Each run meets one lost answer at least, and there is one for each type. */
const MOST_RUNS = 40;
const LET_GO_MS = 20;
jest.setTimeout(600_000);

let bench: TerraformBench;
let whole: string[];
let types: string[];

beforeAll(async () => {
  bench = await TerraformBench.start();
  const model = bench.anInfrastructure('demo');
  await bench.execute(model, 'apply');
  whole = bench.inventory();
  // Every type of the stack, whatever is added to it.
  types = [...typesOf(bench.stack.synthesize(model, bench.account).document)].sort();
  expect([...new Set(bench.objects().map(({ type }) => type))].sort()).toEqual(types);
  await bench.execute(model, 'destroy');
  expect(bench.inventory()).toEqual([]);
});
afterAll(async () => bench.close());
afterEach(async () => {
  const { faults } = bench.sandbox.cloud;
  for (const { name } of faults.list()) await faults.remove(name);
});

/** Runs until one succeeds; how many did not. */
async function untilDone(infrastructure: Infrastructure, kind: 'apply' | 'destroy'): Promise<number> {
  for (let failures = 0; failures < MOST_RUNS; failures += 1) {
    const error: unknown = await bench.execute(infrastructure, kind).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) return failures;
  }
  throw new Error(`No run of ${MOST_RUNS} succeeded`);
}

async function isPlanEmpty(infrastructure: Infrastructure): Promise<boolean> {
  await bench.execute(infrastructure, 'apply');
  const [last] = await bench.runs.list(infrastructure.metadata.uid);
  const { add = 0, change = 0, remove = 0 } = last?.planSummary ?? {};
  return add + change + remove === 0;
}

async function loseAnswers(): Promise<void> {
  for (const type of types) {
    const name = `lost-${type.replaceAll('_', '-')}`;
    await bench.sandbox.cloud.faults.put(name, { kind: 'timeout-after-success', type, remaining: 1, probability: 1 });
  }
}

/** Holds the answers to calls for every type; whenever one is held, Terraform dies. Gives the types it died at. */
async function dieAtEveryType(infrastructure: Infrastructure, kind: 'apply' | 'destroy'): Promise<string[]> {
  const { faults, held } = bench.sandbox.cloud;
  const action = kind === 'apply' ? 'create' : 'delete';
  const nameOf = (type: string): string => `hold-${type.replaceAll('_', '-')}`;
  for (const type of types) await faults.put(nameOf(type), { kind: 'hold', type, action, moment: 'after', skip: 0 });
  const died: string[] = [];
  for (let runs = 0; runs < MOST_RUNS; runs += 1) {
    const run = bench.execute(infrastructure, kind).then(
      () => 'done' as const,
      () => 'failed' as const,
    );
    const first = await Promise.race([
      run,
      eventually(() => held.list()[0]?.type ?? Promise.reject(new Error('none')), PATIENCE),
    ]);
    if (first === 'done') return died;
    if (first === 'failed') continue;
    await bench.killTerraform(infrastructure);
    // Further calls may be held while it dies; the next run waits until none is on its way any more.
    const letGo = setInterval(() => {
      for (const { type } of held.list()) {
        if (!died.includes(type)) died.push(type);
        void faults.remove(nameOf(type));
      }
    }, LET_GO_MS);
    await run.finally(() => clearInterval(letGo));
  }
  throw new Error(`No run of ${MOST_RUNS} succeeded`);
}

describe('an answer that is lost, for every type of the stack', () => {
  it('doubles nothing and loses nothing', async () => {
    const infrastructure = bench.anInfrastructure('demo');
    await loseAnswers();
    expect(await untilDone(infrastructure, 'apply')).toBeGreaterThan(1);
    // Every fault has hit.
    expect(bench.sandbox.cloud.faults.list()).toEqual([]);
    expect(bench.inventory()).toEqual(whole);
    expect(await isPlanEmpty(infrastructure)).toBe(true);

    await loseAnswers();
    await untilDone(infrastructure, 'destroy');
    expect(bench.inventory()).toEqual([]);
  });
});

describe('Terraform that is killed between a call and its answer, at every type of the stack', () => {
  it('doubles nothing and loses nothing', async () => {
    const infrastructure = bench.anInfrastructure('demo');
    const died = await dieAtEveryType(infrastructure, 'apply');
    expect(died.sort()).toEqual(types);
    expect(bench.inventory()).toEqual(whole);
    expect(await isPlanEmpty(infrastructure)).toBe(true);

    await dieAtEveryType(infrastructure, 'destroy');
    expect(bench.inventory()).toEqual([]);
  });
});

describe('a deletion whose answer is lost', () => {
  it('leaves no ghost in the state, though nothing is left to plan', async () => {
    const large = bench.anInfrastructure('demo', { workers: 2 });
    await bench.execute(large, 'apply');
    const small = { ...large, spec: bench.anInfrastructure('demo').spec };
    const fault = { kind: 'timeout-after-success', type: 'aws_instance', remaining: 1, probability: 1 } as const;
    await bench.sandbox.cloud.faults.put('lost', fault);
    expect(await untilDone(small, 'apply')).toBe(1);

    const state = await bench.execute(small, 'apply');
    const known = (state?.resources ?? []).filter(({ type }) => type === 'aws_instance').map(({ id }) => id);
    const there = bench.objects().filter(({ type }) => type === 'aws_instance');
    expect(known.sort()).toEqual(there.map(({ id }) => id).sort());
    await bench.execute(small, 'destroy');
    expect(bench.inventory()).toEqual([]);
  });
});
