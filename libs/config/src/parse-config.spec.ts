import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { PlatformError } from '@crate/errors';
import { z } from 'zod';
import {
  age,
  duration,
  listSecretValues,
  parseConfig,
  port,
  readEnvironment,
  secret,
  type Environment,
} from './index.js';

const schema = z.object({
  database: z.object({ url: secret().meta({ env: 'PGURL' }), poolSize: z.int().min(1).default(10) }),
  http: z.object({ port: port().default(0), hosts: z.array(z.string()).default(['127.0.0.1']) }).prefault({}),
  requestTimeout: duration().default(30_000),
  logLevel: z.enum(['debug', 'info']).default('info'),
  isOffline: z.boolean().default(false),
  tls: z.object({ certificate: z.string(), key: secret() }).optional(),
});
const least = { PGURL: 'postgres://crate@db/crate' };

function refusal(environment: Environment, of: z.ZodObject = schema): PlatformError {
  try {
    parseConfig(of, environment);
  } catch (error) {
    return error as PlatformError;
  }
  throw new Error('Expected the configuration to be refused');
}

function badKeys(environment: Environment): (string | undefined)[] {
  return (refusal(environment).details.causes ?? []).map((cause) => cause.field);
}

describe('parseConfig', () => {
  it('fills in the defaults', () => {
    expect(parseConfig(schema, least)).toEqual({
      database: { url: least.PGURL, poolSize: 10 },
      http: { port: 0, hosts: ['127.0.0.1'] },
      requestTimeout: 30_000,
      logLevel: 'info',
      isOffline: false,
    });
  });

  it.each([
    { variable: 'CRATE_DATABASE_POOL_SIZE', text: '25', path: ['database', 'poolSize'], want: 25 },
    { variable: 'CRATE_HTTP_HOSTS', text: 'a, b,,c', path: ['http', 'hosts'], want: ['a', 'b', 'c'] },
    { variable: 'CRATE_REQUEST_TIMEOUT', text: '1.5m', path: ['requestTimeout'], want: 90_000 },
    { variable: 'CRATE_REQUEST_TIMEOUT', text: '250ms', path: ['requestTimeout'], want: 250 },
    { variable: 'CRATE_REQUEST_TIMEOUT', text: '1200', path: ['requestTimeout'], want: 1200 },
    { variable: 'CRATE_IS_OFFLINE', text: 'Yes', path: ['isOffline'], want: true },
    { variable: 'CRATE_IS_OFFLINE', text: '0', path: ['isOffline'], want: false },
    { variable: 'CRATE_LOG_LEVEL', text: '', path: ['logLevel'], want: 'info' },
  ])('reads $variable=$text', ({ variable, text, path, want }) => {
    const config = parseConfig(schema, { ...least, [variable]: text });

    expect(config).toHaveProperty(path, want);
  });

  it.each([
    { text: '24d', isTaken: true },
    { text: '25d', isTaken: false },
    { text: '3e9', isTaken: false },
  ])('takes no time to wait that no timer waits: $text', ({ text, isTaken }) => {
    const environment = { ...least, CRATE_REQUEST_TIMEOUT: text };
    if (isTaken) return expect(parseConfig(schema, environment).requestTimeout).toBe(24 * 86_400_000);
    return expect(refusal(environment).message).toContain('CRATE_REQUEST_TIMEOUT: must be at most 24d');
  });

  it('takes any age', () => {
    const ofAges = z.object({ kept: age(), notices: z.array(age()) });
    const config = parseConfig(ofAges, { CRATE_KEPT: '365d', CRATE_NOTICES: '60d,1000' });
    expect(config).toEqual({ kept: 31_536_000_000, notices: [5_184_000_000, 1000] });
  });

  it('names every bad variable at once, and no value', () => {
    const environment = {
      CRATE_DATABASE_POOL_SIZE: 'hunter2',
      CRATE_REQUEST_TIMEOUT: 'hunter2',
      CRATE_LOG_LEVEL: 'hunter2',
      CRATE_HTTP_PORT: '99999',
    };
    const error = refusal(environment);

    expect(badKeys(environment).sort()).toEqual([
      'CRATE_DATABASE_POOL_SIZE',
      'CRATE_HTTP_PORT',
      'CRATE_LOG_LEVEL',
      'CRATE_REQUEST_TIMEOUT',
      'PGURL',
    ]);
    expect(error.code).toBe('InvalidSpec');
    expect(error.message).toContain('PGURL: is required');
    expect(JSON.stringify([error.message, error.details])).not.toMatch(/hunter2|99999/);
  });

  it('leaves an optional group out, and asks for all of it once one of its variables is set', () => {
    expect(parseConfig(schema, least).tls).toBeUndefined();
    expect(badKeys({ ...least, CRATE_TLS_CERTIFICATE: '/tls.crt' })).toEqual(['CRATE_TLS_KEY']);
  });

  it('reports a rule across fields under the variable it names', () => {
    const crossed = schema.refine((config) => config.database.poolSize > 1, {
      path: ['database', 'poolSize'],
      error: 'must be above 1',
    });

    expect(refusal({ ...least, CRATE_DATABASE_POOL_SIZE: '1' }, crossed).details.causes).toEqual([
      { reason: 'FieldValueInvalid', field: 'CRATE_DATABASE_POOL_SIZE', message: 'must be above 1' },
    ]);
  });

  it('warns of unknown CRATE_ variables by name', () => {
    const warnings: unknown[] = [];
    const onWarning = (message: string, fields: object): unknown => warnings.push({ message, ...fields });
    parseConfig(schema, { ...least, CRATE_LOG_LEVLE: 'debug', HOME: '/root' }, { onWarning });

    expect(warnings).toEqual([{ message: 'Ignoring unknown configuration variables', variables: ['CRATE_LOG_LEVLE'] }]);
  });
});

describe('secrets', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'config-')), 'url');
  writeFileSync(file, 'postgres://from-file\n');

  it('are read from a file without its last line break', () => {
    const config = parseConfig(schema, { PGURL_FILE: file });

    expect(config.database.url).toBe('postgres://from-file');
    expect(listSecretValues(schema, config)).toEqual(['postgres://from-file']);
  });

  it('are refused when given twice or in a missing file', () => {
    expect(badKeys({ PGURL: 'x', PGURL_FILE: file })).toEqual(['PGURL']);
    expect(badKeys({ PGURL_FILE: `${file}.missing` })).toEqual(['PGURL_FILE']);
  });
});

describe('readEnvironment', () => {
  it('gives a copy', () => {
    process.env['CRATE_SPEC_PROBE'] = 'before';
    const environment = readEnvironment();
    process.env['CRATE_SPEC_PROBE'] = 'after';

    expect(environment['CRATE_SPEC_PROBE']).toBe('before');
    delete process.env['CRATE_SPEC_PROBE'];
  });
});
