import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { describeConfig, duration, durationText, renderConfigTable, secret } from './index.js';

const schema = z.object({
  url: secret().describe('Where Postgres is').default('postgres://hunter2'),
  pool: z.object({ size: z.int().meta({ unit: 'connections' }).describe('Open at most') }),
  lease: duration().default(90_000).describe('How long | a lease lasts'),
  mode: z.enum(['on', 'off']).default('on'),
  zones: z.array(z.number()).default([1, 2]),
  retry: z.object({ cap: duration() }).default({ cap: 1500 }),
});

describe('describeConfig', () => {
  it('gives one row per variable, in order', () => {
    expect(describeConfig(schema)).toEqual([
      {
        env: 'CRATE_URL, CRATE_URL_FILE',
        type: 'secret',
        default: '',
        required: false,
        unit: '',
        doc: 'Where Postgres is',
      },
      {
        env: 'CRATE_POOL_SIZE',
        type: 'number',
        default: '',
        required: true,
        unit: 'connections',
        doc: 'Open at most',
      },
      {
        env: 'CRATE_LEASE',
        type: 'duration',
        default: '90s',
        required: false,
        unit: '',
        doc: 'How long | a lease lasts',
      },
      { env: 'CRATE_MODE', type: 'on, off', default: 'on', required: false, unit: '', doc: '' },
      { env: 'CRATE_ZONES', type: 'list of numbers', default: '1,2', required: false, unit: '', doc: '' },
      { env: 'CRATE_RETRY_CAP', type: 'duration', default: '1500ms', required: false, unit: '', doc: '' },
    ]);
  });

  it('says in words what depends on the machine', () => {
    const cores = z
      .int()
      .default(() => 64)
      .meta({ defaultText: 'two per CPU' });

    expect(describeConfig(z.object({ cores }))[0]).toMatchObject({ env: 'CRATE_CORES', default: 'two per CPU' });
  });

  it('refuses a type that a variable cannot express', () => {
    expect(() => describeConfig(z.object({ map: z.record(z.string(), z.string()) }))).toThrow(/map has type record/);
  });
});

describe('renderConfigTable', () => {
  it('escapes cells, marks what is required and shows no secret', () => {
    const table = renderConfigTable(describeConfig(schema));

    expect(table).toContain('| `CRATE_LEASE` | duration | `90s` |  | How long \\| a lease lasts |');
    expect(table).toContain('| `CRATE_POOL_SIZE` | number | (required) | connections | Open at most |');
    expect(table).not.toContain('hunter2');
  });
});

describe('durationText', () => {
  it.each([
    [7 * 86_400_000, '7d'],
    [36 * 3_600_000, '36h'],
    [90_000, '90s'],
    [1_500, '1500ms'],
  ])('writes %d as %s', (milliseconds, text) => {
    expect(durationText(milliseconds)).toBe(text);
  });
});
