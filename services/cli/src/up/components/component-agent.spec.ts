import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@crate/testing';
import { ComponentAgent, ServiceSlots, type RunningSlot } from './component-agent.js';
import { Versions } from './versions.js';

const SERVICE = 'policy-mgmt';
/** The machine of a test may be busy. */
const PATIENT = { timeoutMs: 60_000 };

/** Processes that are ready at once; `begun` is what was done with them. */
class ReadySlots extends ServiceSlots {
  readonly begun: string[] = [];
  readonly slots = new Map<string, RunningSlot>();
  looks = 0;

  constructor(private readonly logFile: string) {
    super();
  }

  override list(): readonly RunningSlot[] {
    this.looks += 1;
    return [...this.slots.values()];
  }

  /** It ended by itself, and runs again. */
  end(name: string): void {
    const slot = this.slots.get(name);
    if (slot) this.slots.set(name, { ...slot, restarts: slot.restarts + 1 });
  }

  override isReady(): Promise<boolean> {
    return Promise.resolve(true);
  }

  override extraName(service: string): string {
    return `${service}-2`;
  }

  override startSlot(service: string, name: string, version: string): Promise<void> {
    this.begun.push(`${name} ${version}`);
    const restarts = this.begun.length === 1 ? 1 : 0;
    const isExtra = name !== service;
    this.slots.set(name, { name, version, isExtra, restarts, logFile: this.logFile });
    return Promise.resolve();
  }

  override stopSlot(name: string): Promise<void> {
    this.begun.push(`${name} stopped`);
    this.slots.delete(name);
    return Promise.resolve();
  }
}

let directory: string;
let slots: ReadySlots;
let agent: ComponentAgent;
let own: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-agent-'));
  await writeFile(join(directory, 'log'), '{"level":"error","msg":"No such table"}\n');
  const versions = await Versions.open(join(directory, 'none'));
  own = versions.own;
  slots = new ReadySlots(join(directory, 'log'));
  await slots.startSlot(SERVICE, SERVICE, 'older');
  agent = new ComponentAgent({ services: [SERVICE], directory, versions, slots, say: () => undefined });
  agent.start();
});
afterEach(async () => {
  await agent.stop();
  await rm(directory, { recursive: true, force: true });
});

async function found(): Promise<{ readonly version: string; readonly slots: readonly object[] }> {
  return JSON.parse(await readFile(join(directory, `${SERVICE}.found.json`), 'utf8')) as never;
}

async function want(wanted: object): Promise<void> {
  await writeFile(join(directory, `${SERVICE}.wanted.json`), JSON.stringify(wanted));
}

describe('ComponentAgent', () => {
  it('tells what runs, and what it said before it ended', async () => {
    const told = await eventually(found, PATIENT);
    expect(told).toEqual({
      version: 'older',
      slots: [
        { name: SERVICE, version: 'older', isExtra: false, isReady: true, restarts: 1, lastWords: 'No such table' },
      ],
      present: [own],
    });
  });

  it('reads the log once for each end', async () => {
    await eventually(found, PATIENT);
    await writeFile(join(directory, 'log'), '{"level":"error","msg":"Said while it runs"}\n');
    const passes = slots.looks;
    await eventually(() => expect(slots.looks).toBeGreaterThan(passes + 1), PATIENT);
    expect((await found()).slots).toMatchObject([{ restarts: 1, lastWords: 'No such table' }]);
    slots.end(SERVICE);
    await eventually(
      async () => expect((await found()).slots).toMatchObject([{ restarts: 2, lastWords: 'Said while it runs' }]),
      PATIENT,
    );
  });

  it('does what is wanted, and nothing before that', async () => {
    await eventually(found, PATIENT);
    expect(slots.begun).toEqual([`${SERVICE} older`]);
    await want({ version: own });
    await eventually(
      async () => expect((await found()).slots).toMatchObject([{ version: own, isExtra: false }]),
      PATIENT,
    );
    expect(slots.begun.slice(1)).toEqual([`${SERVICE}-2 ${own}`, `${SERVICE} ${own}`, `${SERVICE}-2 stopped`]);
  });

  it('tells what runs when what is wanted does not lie there', async () => {
    await want({ version: own, next: { version: 'gone', stage: 'Canary' } });
    await eventually(async () => expect((await found()).version).toBe(own), PATIENT);
    await want({ version: 'gone', next: { version: own, stage: 'Canary' } });
    await eventually(async () => expect((await found()).version).toBe('older'), PATIENT);
    await agent.stop();
    expect(slots.begun).toEqual([`${SERVICE} older`]);
  });

  it('leaves all as it is when the version does not lie there', async () => {
    await want({ version: own, next: { version: '9.9.9', stage: 'Canary' } });
    await eventually(async () => expect((await found()).version).toBe(own), PATIENT);
    await agent.stop();
    expect(slots.begun).toEqual([`${SERVICE} older`]);
  });
});
