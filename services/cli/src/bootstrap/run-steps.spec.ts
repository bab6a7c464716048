import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Journal } from './journal.js';
import type { BootstrapRequest } from './request.js';
import { runSteps, type Step } from './run-steps.js';

const REQUEST = { cloud: 'sandbox', name: 'platform' } as BootstrapRequest;
const NAMES = ['a', 'server', 'b', 'c', 'd'];
const NEED_SERVER = ['b', 'c'];
const KILLED = new Error('killed');

/** What is made, once each, and a server that ends with whoever started it unless it is looked after. */
interface World {
  readonly made: Set<string>;
  serverRuns: boolean;
  writes: number;
}

const make = (name: string): Step<World> => ({
  name,
  done: `${name} is made`,
  run: (world) => {
    if (NEED_SERVER.includes(name) && !world.serverRuns) throw new Error('nobody serves');
    if (!world.made.has(name)) world.writes += 1;
    world.made.add(name);
    return Promise.resolve();
  },
});
const STEPS: readonly Step<World>[] = NAMES.map((name) => (name === 'server' ? server() : make(name)));

function server(): Step<World> {
  const run = (world: World): Promise<void> => Promise.resolve(void (world.serverRuns = true));
  return { name: 'server', done: 'it serves', until: 'c', run };
}

let directory: string;
let path: string;
let said: string[];
let world: World;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-steps-'));
  path = join(directory, 'journal.json');
  said = [];
  world = { made: new Set(), serverRuns: false, writes: 0 };
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

async function run(steps = STEPS, request = REQUEST): Promise<boolean> {
  const journal = await Journal.open(path, request, () => new Date(0));
  return runSteps({ steps, scope: world, journal, say: (line) => said.push(line) });
}

/** The same steps, where whoever does them is killed before or after one of them does its work, and the server goes, too. */
function killedAt(name: string, moment: 'before' | 'after'): readonly Step<World>[] {
  return STEPS.map((step) => {
    if (step.name !== name) return step;
    const die = async (scope: World): Promise<void> => {
      if (moment === 'after') await step.run(scope);
      scope.serverRuns = false;
      throw KILLED;
    };
    return { ...step, run: die };
  });
}

describe('runSteps', () => {
  it('does all in order and says each; a second run does and writes nothing', async () => {
    expect(await run()).toBe(true);
    expect(said).toEqual([
      '[1/5] a is made',
      '[2/5] it serves',
      '[3/5] b is made',
      '[4/5] c is made',
      '[5/5] d is made',
    ]);
    const [text, writes] = [await readFile(path, 'utf8'), world.writes];
    world.serverRuns = false;

    expect(await run()).toBe(false);
    expect(said).toHaveLength(5);
    expect([await readFile(path, 'utf8'), world.writes, world.serverRuns]).toEqual([text, writes, false]);
  });

  it.each(NAMES.flatMap((name) => (['before', 'after'] as const).map((moment) => ({ name, moment }))))(
    'comes to the same end when it was killed $moment $name',
    async ({ name, moment }) => {
      await expect(run(killedAt(name, moment))).rejects.toBe(KILLED);
      expect(await run()).toBe(true);

      expect([...world.made].sort()).toEqual(['a', 'b', 'c', 'd']);
      expect(world.writes).toBe(4);
      expect(Object.keys((await Journal.find(path))?.steps ?? {})).toEqual(NAMES);
      // Each was said once, by the run that got it done.
      expect(new Set(said).size).toBe(said.length);
    },
  );

  it('has who goes on find what was asked for last, though nothing more was done', async () => {
    const other = { ...REQUEST, managementNetworks: ['192.0.2.1/32'] };
    await expect(run(killedAt('b', 'before'))).rejects.toBe(KILLED);
    await expect(run(killedAt('b', 'before'), other)).rejects.toBe(KILLED);
    expect((await Journal.find(path))?.request).toEqual(other);
    await run(STEPS, other);
    await run();
    expect((await Journal.find(path))?.request).toEqual(other);
  });

  it('looks after what has to stand only as long as it is needed', async () => {
    await expect(run(killedAt('d', 'before'))).rejects.toBe(KILLED);
    await run();
    expect(world.serverRuns).toBe(false);
  });
});

describe('Journal', () => {
  it('is for its owner alone, and says what was asked for', async () => {
    const journal = await Journal.open(path, REQUEST);
    expect(await Journal.find(path)).toBeUndefined();
    await journal.add('a');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await Journal.find(path))?.request).toEqual(REQUEST);
  });

  it('does not begin anew over one that is damaged', async () => {
    await writeFile(path, '{"steps":');
    await expect(Journal.find(path)).rejects.toMatchObject({ code: 'Conflict' });
  });
});
