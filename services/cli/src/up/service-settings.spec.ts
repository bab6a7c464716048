import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readServiceSettings, traceSettings } from './service-settings.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-settings-'));
});
afterAll(async () => rm(directory, { recursive: true, force: true }));

it('reads one variable a line, and leaves comments out', async () => {
  const file = join(directory, 'further.env');
  await writeFile(file, '# shorter than usual\nCRATE_RECONCILE_LEASE_MS=5000\nCRATE_LOG_LEVEL=debug\n');
  expect(await readServiceSettings(file)).toEqual({ CRATE_RECONCILE_LEASE_MS: '5000', CRATE_LOG_LEVEL: 'debug' });
});

it('takes a value of several lines in quotes', async () => {
  const file = join(directory, 'quoted.env');
  await writeFile(file, 'A="one\ntwo"\nexport B=c\n');
  expect(await readServiceSettings(file)).toEqual({ A: 'one\ntwo', B: 'c' });
});

it('refuses a line that is no setting, so that none is left out in silence', async () => {
  const file = join(directory, 'broken.env');
  await writeFile(file, 'A="one\ntwo"\n\nCRATE_LOG_LEVEL debug\n');
  await expect(readServiceSettings(file)).rejects.toMatchObject({
    code: 'BadRequest',
    message: expect.stringMatching(/broken\.env has a line without NAME=value: line 4$/),
  });
});

it('says which file is missing', async () => {
  await expect(readServiceSettings(join(directory, 'none.env'))).rejects.toMatchObject({
    code: 'BadRequest',
    message: expect.stringContaining('none.env'),
  });
});

describe('traceSettings', () => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4318',
    OTEL_TRACES_SAMPLER: 'always_on',
    OTEL_SERVICE_NAME: 'mine',
    HOME: '/root',
    OTEL_UNSET: undefined,
  };

  it('hands on what this program was told of traces, and no name that all would share', () => {
    expect(traceSettings(environment, undefined)).toEqual({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4318',
      OTEL_TRACES_SAMPLER: 'always_on',
    });
  });

  it('puts the endpoint of the command line first', () => {
    expect(traceSettings(environment, 'http://b:4318')).toMatchObject({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://b:4318' });
  });
});
