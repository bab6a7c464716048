import { CLOUD_ACCOUNT, CLUSTER, NOTIFICATION_CHANNEL, type JsonObject } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { aCluster } from '../fixtures/local-api.js';
import { CONFIG_MAP } from '../fixtures/kinds.js';
import type { ServedKind } from '../kinds/served-kind.js';
import { checkBody } from './body.js';
import { toCause } from './field-error.js';

const SERVED: ServedKind = { definition: CLUSTER };

function body(spec: Record<string, unknown> = {}): JsonObject {
  return { spec: aCluster('demo', spec).spec };
}

function causes(given: JsonObject, served = SERVED): unknown[] {
  return checkBody(served, given, 'Ignore').errors.map(toCause);
}

describe('a value where a secret belongs', () => {
  const CHANNEL: ServedKind = { definition: NOTIFICATION_CHANNEL };
  const url = 'https://example.org/hook';
  const SECRET = 'xoxb-17-hunter2';
  const hook = (fields: object): JsonObject => ({ spec: { type: 'webhook', webhook: { url, ...fields } } });

  it.each([
    { name: 'a header with a line feed', given: hook({ headers: [{ name: 'X-Auth', value: `${SECRET}\n` }] }) },
    { name: 'a header in one', given: hook({ headers: [`Authorization: Bearer ${SECRET}`] }) },
    { name: 'headers as text', given: hook({ headers: `Authorization: Bearer ${SECRET}` }) },
    {
      name: 'a URL without a scheme',
      given: { spec: { type: 'slack', slack: { url: `hooks.example.org/${SECRET}` } } },
    },
    { name: 'a URL in place of its block', given: { spec: { type: 'slack', slack: `https://example.org/${SECRET}` } } },
  ])('is not told back: $name', ({ given }) => {
    const told = causes(given, CHANNEL);
    expect(told).toContainEqual(expect.objectContaining({ message: expect.stringContaining(': (hidden): must be ') }));
    expect(JSON.stringify(told)).not.toContain(SECRET);
    expect(() => checkBody(CHANNEL, { spec: { ...(given.spec as object), typo: 1 } }, 'Strict')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(SECRET) }),
    );
  });

  it('is not told back by a schema of its own either', () => {
    const token = { type: 'string', maxLength: 3, writeOnly: true } as const;
    const schema = { properties: { spec: { additionalProperties: { anyOf: [token] } } } };
    const served: ServedKind = { definition: NOTIFICATION_CHANNEL, schema };
    expect(JSON.stringify(causes({ spec: { any: SECRET } }, served))).not.toContain(SECRET);
  });

  it('is told where it is none', () => {
    const name = { spec: { type: 'webhook', webhook: { url, headers: [{ name: 'X Auth', value: SECRET }] } } };
    expect(causes(name, CHANNEL)).toEqual([
      expect.objectContaining({
        message: 'Invalid value: "X Auth": must be the name of an HTTP header, such as Authorization',
      }),
    ]);
    expect(causes({ spec: { type: 'slack', webhook: { url } } }, CHANNEL)).toContainEqual(
      expect.objectContaining({ message: 'Invalid value: {…}: must be absent: spec.type is slack' }),
    );
  });
});

describe('checkBody by a Zod schema', () => {
  it('sets defaults', () => {
    const { body: checked, errors } = checkBody(SERVED, body(), 'Strict');
    expect(errors).toEqual([]);
    expect(checked).toMatchObject({ spec: { controlPlane: { replicas: 3 }, network: { vpcCidr: '10.20.0.0/16' } } });
  });

  it.each([
    {
      name: 'a rule',
      spec: { controlPlane: { replicas: 2 } },
      field: 'spec.controlPlane.replicas',
      message: 'Invalid value: 2: must be odd, so that etcd keeps a majority when one machine fails',
      reason: 'FieldValueInvalid',
    },
    {
      name: 'a wrong type',
      spec: { paused: 'no' },
      field: 'spec.paused',
      message: 'Invalid value: "no": must be a boolean',
      reason: 'FieldValueTypeInvalid',
    },
    {
      name: 'a missing field',
      spec: { region: undefined },
      field: 'spec.region',
      message: 'Required value',
      reason: 'FieldValueRequired',
    },
    {
      name: 'null, which says the same as missing',
      spec: { region: null },
      field: 'spec.region',
      message: 'Required value',
      reason: 'FieldValueRequired',
    },
    {
      name: 'an unsupported value',
      spec: { kubernetes: { engine: 'k9', version: 'v1.31.4' } },
      field: 'spec.kubernetes.engine',
      message: 'Unsupported value: "k9": supported values: "rke", "existing"',
      reason: 'FieldValueNotSupported',
    },
    {
      name: 'a bound',
      spec: { controlPlane: { replicas: 9 } },
      field: 'spec.controlPlane.replicas',
      message: 'Invalid value: 9: must be at most 7',
      reason: 'FieldValueInvalid',
    },
    {
      name: 'a field of a list item',
      spec: { nodePools: [{ name: 'ok' }, { name: 'Not OK' }] },
      field: 'spec.nodePools[1].name',
      message: 'Invalid value: "Not OK": must be a DNS label: lower-case letters, digits and "-", at most 63',
      reason: 'FieldValueInvalid',
    },
    {
      name: 'a value of a free-form map',
      spec: { nodePools: [{ name: 'ok', labels: { 'a.b/c': 1 } }] },
      field: 'spec.nodePools[0].labels[a.b/c]',
      message: 'Invalid value: 1: must be a string',
      reason: 'FieldValueTypeInvalid',
    },
  ])('names field, value and expectation of $name', ({ spec, ...cause }) => {
    expect(causes(body(spec as Record<string, unknown>))).toEqual([
      { field: cause.field, message: cause.message, reason: cause.reason },
    ]);
  });

  it('finds all bad fields at once', () => {
    const spec = { controlPlane: { replicas: 2 }, network: { vpcCidr: '10.20.0.1/16' }, region: 7 };
    expect(causes(body(spec)).map((cause) => (cause as { field: string }).field)).toEqual([
      'spec.region',
      'spec.network.vpcCidr',
      'spec.controlPlane.replicas',
    ]);
  });

  it('never shows a rejected credential', () => {
    const served: ServedKind = { definition: CLOUD_ACCOUNT };
    const credentials = { accessKeyId: 'AKIA', secretAccessKey: 12345678 };
    expect(causes({ spec: { provider: 'aws', credentials } }, served)).toEqual([
      {
        field: 'spec.credentials.secretAccessKey',
        message: 'Invalid value: (hidden): must be a string',
        reason: 'FieldValueTypeInvalid',
      },
    ]);
  });
});

describe('unknown fields', () => {
  const given = body({ colour: 'red', nodePools: [{ name: 'workers', size: 3 }], controlPlane: { replicas: 2 } });

  it('come with the one that was most likely meant, unless it is there', () => {
    const { region: _, ...spec } = body()['spec'] as JsonObject;
    const document = { spec: { ...spec, regoin: 'us-east-1', nodePool: [] } };
    expect(() => checkBody(SERVED, document, 'Strict')).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(
          'unknown field "spec.regoin" (did you mean "region"?), unknown field "spec.nodePool"; also spec.region',
        ),
        details: expect.objectContaining({
          causes: expect.arrayContaining([
            { reason: 'UnknownField', message: 'unknown field (did you mean "region"?)', field: 'spec.regoin' },
            { reason: 'UnknownField', message: 'unknown field', field: 'spec.nodePool' },
          ]),
        }),
      }),
    );
  });

  it('are a 400 under Strict that names the invalid fields too', () => {
    expect(() => checkBody(SERVED, given, 'Strict')).toThrow(
      expect.objectContaining({
        code: 'BadRequest',
        message:
          'Cluster in version "v1alpha1" cannot be handled as a Cluster: strict decoding error: ' +
          'unknown field "spec.nodePools[0].size", unknown field "spec.colour"; also spec.controlPlane.replicas: ' +
          'Invalid value: 2: must be odd, so that etcd keeps a majority when one machine fails',
      }),
    );
  });

  it('are pruned with a warning each under Warn', () => {
    const { body: checked, warnings } = checkBody(SERVED, body({ colour: 'red' }), 'Warn');
    expect(warnings).toEqual(['unknown field "spec.colour"']);
    expect(checked.spec).not.toHaveProperty('colour');
  });

  it('are pruned silently under Ignore', () => {
    const { body: checked, warnings } = checkBody(SERVED, body({ colour: 'red' }), 'Ignore');
    expect(warnings).toEqual([]);
    expect(checked.spec).not.toHaveProperty('colour');
  });

  it('are counted after the first twenty, and each takes no longer than the one before', () => {
    const many = body(Object.fromEntries([...Array(20_000).keys()].map((index) => [`colour${index}`, index])));
    const started = performance.now();
    expect(() => checkBody(SERVED, many, 'Strict')).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^.{0,2000}, and 19980 more unknown fields$/),
        details: expect.objectContaining({ causes: Array.from({ length: 20 }, () => expect.anything()) }),
      }),
    );
    const { warnings } = checkBody(SERVED, many, 'Warn');
    expect([warnings.length, warnings.at(-1)]).toEqual([21, 'and 19980 more unknown fields']);
    // It was many minutes when every key was taken out by itself.
    expect(performance.now() - started).toBeLessThan(40_000);
  });

  it('are named by their beginning when they are long', () => {
    const { warnings } = checkBody(SERVED, body({ ['n'.repeat(1_000_000)]: 1 }), 'Warn');
    expect(warnings).toEqual([`unknown field "spec.${'n'.repeat(251)}…"`]);
  });

  it('stay where the body may be anything', () => {
    const data = { data: { a: 'b' }, anything: [{ goes: true }] };
    expect(checkBody(CONFIG_MAP, data, 'Strict')).toEqual({ body: data, errors: [], warnings: [] });
  });
});
