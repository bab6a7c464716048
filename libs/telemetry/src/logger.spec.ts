import { describe, expect, it } from '@jest/globals';
import { conflict, invariant } from '@crate/errors';
import {
  InMemoryLogger,
  PinoLogger,
  PassingSpan,
  Redactor,
  runInSpan,
  type LogFields,
  type Logger,
  type LogLevel,
  type TelemetryContext,
} from './index.js';

const within = <T>(traceId: string, context: TelemetryContext, work: () => T): T =>
  runInSpan(new PassingSpan({ traceId, parentId: '1'.repeat(16), sampled: false }), context, work);

interface Fixture {
  readonly logger: Logger;
  readonly lines: () => Record<string, unknown>[];
}

function pinoFixture(level: LogLevel = 'debug', redactor = new Redactor()): Fixture {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  const logger = PinoLogger.create({ service: 'cloud-mgmt', level, redactor, destination });
  return { logger, lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

function inMemoryFixture(): Fixture {
  const logger = new InMemoryLogger();
  return {
    logger,
    lines: () => logger.lines.map(({ level, message, fields }) => ({ level, msg: message, ...fields })),
  };
}

/** The contract of the port, held by the production logger and by the fake. */
describe.each([
  { name: 'PinoLogger', fixture: () => pinoFixture() },
  { name: 'InMemoryLogger', fixture: inMemoryFixture },
])('$name', ({ fixture }) => {
  it('writes level, message and fields', () => {
    const { logger, lines } = fixture();
    for (const level of ['debug', 'info', 'warn', 'error'] as const) logger[level]('Reading state', { size: 3 });

    expect(lines().map((line) => [line.level, line.msg, line.size])).toEqual([
      ['debug', 'Reading state', 3],
      ['info', 'Reading state', 3],
      ['warn', 'Reading state', 3],
      ['error', 'Reading state', 3],
    ]);
  });

  it('puts bindings and the context on every line, also across awaits', async () => {
    const { logger, lines } = fixture();
    const pass = (name: string): Promise<void> =>
      within(`trace-${name}`, { name }, async () => {
        await Promise.resolve();
        logger.child({ component: 'terraform' }).info('Planning');
      });
    await Promise.all([pass('a'), pass('b')]);
    logger.info('Idle');

    expect(lines()).toEqual([
      expect.objectContaining({ component: 'terraform', name: 'a', traceId: 'trace-a' }),
      expect.objectContaining({ component: 'terraform', name: 'b', traceId: 'trace-b' }),
      expect.not.objectContaining({ name: expect.anything() }),
    ]);
  });

  it('lays an inner context over the outer one', () => {
    const { logger, lines } = fixture();
    within('outer', { cluster: 'demo', kind: 'Cluster' }, () =>
      within('inner', { kind: 'Infrastructure' }, () => logger.info('Applying')),
    );

    expect(lines()[0]).toMatchObject({ cluster: 'demo', kind: 'Infrastructure' });
  });
});

describe('PinoLogger', () => {
  function written(fields: LogFields, message = 'Event', redactor = new Redactor()): Record<string, unknown> {
    const { logger, lines } = pinoFixture('debug', redactor);
    logger.info(message, fields);
    return lines()[0] ?? {};
  }

  it('stamps service and ISO time, and nothing of the host', () => {
    const line = written({});

    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      service: 'cloud-mgmt',
      msg: 'Event',
    });
  });

  it('drops lines below its level', () => {
    const { logger, lines } = pinoFixture('warn');
    logger.info('Dropped');

    expect(lines()).toEqual([]);
  });

  it('writes an error with code, details and causes; a stack only where it helps', () => {
    const socket = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const error = conflict('Stale', { name: 'demo' });
    Object.defineProperty(error, 'cause', { value: socket });

    expect(written({ error }).error).toEqual({
      code: 'Conflict',
      retry: 'now',
      details: { name: 'demo' },
      message: 'Stale',
      cause: { name: 'Error', code: 'ECONNREFUSED', message: 'connect', stack: expect.stringContaining('connect') },
    });
    expect(written({ error: invariant('Bug') }).error).toHaveProperty('stack');
    expect(written({ error: 'text' }).error).toEqual({ message: 'text' });
  });

  it('survives cycles, bigints, buffers and dates', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;

    expect(written({ cycle, epoch: 7n, blob: Buffer.from('secret'), at: new Date(0) })).toMatchObject({
      epoch: '7',
      blob: '[6 bytes]',
      at: '1970-01-01T00:00:00.000Z',
    });
  });

  it('takes out secrets by key, by shape and by registered value', () => {
    const redactor = new Redactor();
    redactor.add('hunter2-registered');
    const line = written(
      {
        account: { secret_access_key: 'hunter2-a', Authorization: 'Bearer hunter2-b', 'client-key-data': 'hunter2-c' },
        url: 'postgres://crate:hunter2-d@db/crate',
        token_like: 'eyJhbGciOiJFUzI1NiJ9.hunter2.e',
        key: `crate_${'hunter2'.repeat(9)}00`,
        pem: '-----BEGIN RSA PRIVATE KEY-----\nhunter2-f\n-----END RSA PRIVATE KEY-----',
        list: [{ text: 'say hunter2-registered' }],
        error: new Error('Rejected hunter2-registered'),
      },
      'Saw hunter2-registered',
      redactor,
    );

    expect(JSON.stringify(line)).not.toContain('hunter2');
    expect(line).toMatchObject({ msg: 'Saw [redacted]', url: 'postgres://crate:[redacted]@db/crate' });
  });
});

describe('Redactor', () => {
  it('takes out a value of many lines in one piece and line by line', () => {
    const redactor = new Redactor();
    redactor.add('-----BEGIN KEY-----\nfirst-line\nsecond-line\n-----END KEY-----\n');

    expect(redactor.redactText('a second-line b')).toBe('a [redacted] b');
    expect(redactor.redactText('-----BEGIN CERTIFICATE-----')).toBe('-----BEGIN CERTIFICATE-----');
  });

  it('takes the longer of two secrets out whole, and leaves short ones alone', () => {
    const redactor = new Redactor();
    for (const value of ['hunter2', 'hunter2.extended', 'abc']) redactor.add(value);

    expect(redactor.redactText('hunter2.extended abc')).toBe('[redacted] abc');
  });

  it('looks for values that are registered after it was used', () => {
    const redactor = new Redactor();
    redactor.add('hunter2');
    expect(redactor.redactText('hunter2 and hunter3')).toBe('[redacted] and hunter3');
    redactor.add('hunter3');
    expect(redactor.redactText('hunter2 and hunter3')).toBe('[redacted] and [redacted]');
  });

  // A pattern for each of them would take hours.
  it('registers 100,000 values at the price of one pattern', () => {
    const redactor = new Redactor();
    for (let index = 100_000; index < 200_000; index += 1) redactor.add(`hunter${index}`);

    expect(redactor.redactText('hunter123456 and hunter234567')).toBe('[redacted] and hunter234567');
  });

  it.each([
    { reason: 'by itself', given: 'eyJhbGciOiJF.e30.c2ln' },
    { reason: 'without a signature', given: 'eyJhbGciOiJF.e30.' },
    { reason: 'behind a word', given: 'x-eyJhbGciOiJF.e30.c2ln', want: 'x-[redacted]' },
    { reason: 'behind names with dots', given: 'a.b-eyJhbGciOiJF.e30.c2ln.d', want: 'a.b-[redacted].d' },
    { reason: 'not in a word', given: 'keyJhbGciOiJF.e30.c2ln', want: 'keyJhbGciOiJF.e30.c2ln' },
    { reason: 'not of one part', given: 'eyJhbGciOiJF.e30', want: 'eyJhbGciOiJF.e30' },
  ])('takes out a JSON web token $reason', ({ given, want = '[redacted]' }) => {
    expect(new Redactor().redactText(given)).toBe(want);
  });

  // Text of 3 MB that a search from each beginning would not get through in an hour.
  it.each(['', '.'])('looks at each run of a text once that begins tokens without end: "%s"', (end) => {
    const text = `${'-eyJ'.repeat(750_000)}${end}`;
    expect(new Redactor().redactText(text)).toBe(text);
  });
});
