import type { ServiceReport } from '@crate/api';
import { timeout, unavailable } from '@crate/errors';
import type { CallContext } from '@crate/resource-client';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { aReport } from '../testing/a-report.js';
import { ReportMemory, type RememberedReport } from './report-memory.js';
import { ServiceAnswers } from './service-answers.js';

class InMemoryReportMemory extends ReportMemory {
  readonly saved: string[] = [];
  readonly known = new Map<string, RememberedReport>();
  fails = false;

  override save({ service }: ServiceReport): Promise<void> {
    if (this.fails) return Promise.reject(unavailable('The database is away'));
    this.saved.push(service);
    return Promise.resolve();
  }

  override find(service: string): Promise<RememberedReport | undefined> {
    return this.fails ? Promise.reject(unavailable('Away')) : Promise.resolve(this.known.get(service));
  }
}

let now: number;
let down: Set<string>;
let memory: InMemoryReportMemory;
let logger: InMemoryLogger;
/** Takes as long as a test says. */
let slow: { readonly service: string; readonly answers: (late: AbortSignal) => Promise<void> } | undefined;
beforeEach(() => {
  [now, down, memory, logger, slow] = [0, new Set(), new InMemoryReportMemory(), new InMemoryLogger(), undefined];
});

function answers(): ServiceAnswers {
  const call = <T>(service: string, _method: string, _body: unknown, { signal }: CallContext): Promise<T> => {
    if (down.has(service)) return Promise.reject(unavailable(`${service} is away`));
    const report = aReport({ service }) as T;
    return slow?.service === service ? slow.answers(signal!).then(() => report) : Promise.resolve(report);
  };
  return new ServiceAnswers({
    service: 'lifecycle',
    own: () => Promise.resolve(aReport({ service: 'lifecycle' })),
    others: ['policy-mgmt', 'cloud-mgmt'],
    calls: { call },
    context: { caller: { user: 'system:lifecycle', groups: [] }, traceId: 't' },
    memory,
    logger,
    now: () => now,
  });
}

function never(late: AbortSignal): Promise<void> {
  return new Promise((_, reject) => late.addEventListener('abort', () => reject(timeout('It did not answer in time'))));
}

describe('ServiceAnswers', () => {
  it('has this service first and all others by name', async () => {
    const found = await answers().ask();
    expect(found.map(({ service, answered }) => [service, answered])).toEqual([
      ['lifecycle', true],
      ['cloud-mgmt', true],
      ['policy-mgmt', true],
    ]);
  });

  it('tells what a service said last, how long ago, and why it says nothing now', async () => {
    const asked = answers();
    await asked.ask();
    down.add('policy-mgmt');
    now = 7_000;
    expect((await asked.ask()).at(-1)).toMatchObject({
      ...{ service: 'policy-mgmt', answered: false, ageMs: 7_000, message: 'policy-mgmt is away' },
      report: { service: 'policy-mgmt' },
    });
    down.clear();
    expect((await asked.ask()).at(-1)).toMatchObject({ answered: true, ageMs: 0 });
  });

  it('waits less for who was silent, until it answers however late', async () => {
    const asked = answers();
    down.add('policy-mgmt');
    await asked.ask();
    down.clear();
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    slow = { service: 'policy-mgmt', answers: () => answered };
    expect((await asked.ask()).at(-1)).toMatchObject({ answered: false, message: 'No answer within 0.6 s' });
    answer();
    await eventually(() => memory.saved.includes('policy-mgmt'));

    slow = { service: 'policy-mgmt', answers: never };
    expect((await asked.ask()).at(-1)).toMatchObject({ answered: false, message: 'No answer within 2 s' });
  });

  it('remembers over its own end, and grows older with what it remembers', async () => {
    memory.known.set('policy-mgmt', { report: aReport(), ageMs: 60_000 });
    down.add('policy-mgmt');
    const asked = answers();
    expect((await asked.ask()).at(-1)).toMatchObject({ answered: false, ageMs: 60_000 });
    now = 5_000;
    expect((await asked.ask()).at(-1)).toMatchObject({ answered: false, ageMs: 65_000 });
  });

  it('writes down what it hears now and then, and only that', async () => {
    const asked = answers();
    down.add('policy-mgmt');
    for (now = 0; now <= 10_000; now += 1_000) await asked.ask();
    expect(memory.saved).toEqual(['lifecycle', 'cloud-mgmt', 'lifecycle', 'cloud-mgmt']);
  });

  it('goes without its memory while the database is away', async () => {
    memory.fails = true;
    down.add('policy-mgmt');
    const found = await answers().ask();
    expect(found.at(-1)).toMatchObject({ answered: false, message: 'policy-mgmt is away' });
    expect(found.at(-1)?.report).toBeUndefined();
  });
});
