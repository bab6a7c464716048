import { describe, expect, it } from '@jest/globals';
import { stateDifference } from './state-diff.js';
import { aState } from './testing/a-state.js';

interface Instance {
  readonly index_key?: string | number;
  readonly attributes: Record<string, unknown>;
  readonly sensitive_attributes?: unknown[];
}

const resource = (type: string, name: string, ...instances: Instance[]): Record<string, unknown> => ({
  mode: 'managed',
  type,
  name,
  instances,
});
const vpc = resource('aws_vpc', 'vpc', { attributes: { id: 'vpc-1', cidr_block: '10.0.0.0/16', tags: { Name: 'a' } } });

describe('stateDifference', () => {
  it('tells what came, what went and what is otherwise, attribute by attribute', () => {
    const before = aState({
      resources: [vpc, resource('aws_subnet', 's', { index_key: 0, attributes: { id: 's-0' } })],
    });
    const changed = resource('aws_vpc', 'vpc', {
      attributes: { id: 'vpc-1', cidr_block: '10.0.0.0/16', tags: { Name: 'b' } },
    });
    const after = aState({
      resources: [changed, resource('aws_instance', 'm', { index_key: 'a', attributes: { id: 'i-1' } })],
    });

    expect(stateDifference(before, after)).toEqual({
      resources: [
        {
          address: 'aws_instance.m["a"]',
          type: 'aws_instance',
          name: 'm',
          action: 'added',
          changes: [{ path: 'id', after: 'i-1' }],
        },
        {
          address: 'aws_subnet.s[0]',
          type: 'aws_subnet',
          name: 's',
          action: 'removed',
          changes: [{ path: 'id', before: 's-0' }],
        },
        {
          address: 'aws_vpc.vpc',
          type: 'aws_vpc',
          name: 'vpc',
          action: 'changed',
          changes: [{ path: 'tags.Name', before: 'a', after: 'b' }],
        },
      ],
      omittedChanges: 0,
    });
  });

  it('tells nothing of data sources, and of states that differ in their serial only', () => {
    const data = { mode: 'data', type: 'aws_ami', name: 'a', instances: [{ attributes: { id: 'ami-1' } }] };
    expect(
      stateDifference(aState({ serial: 1, resources: [vpc] }), aState({ serial: 9, resources: [vpc, data] })),
    ).toEqual({
      resources: [],
      omittedChanges: 0,
    });
  });

  const SECRET = 'correct-horse-battery';
  it.each([
    { name: 'what the schema calls sensitive', attribute: 'content', value: SECRET, marked: true },
    {
      name: 'a part of what the schema calls sensitive',
      attribute: 'content',
      value: [{ deep: SECRET }],
      marked: true,
    },
    { name: 'a password', attribute: 'password', value: SECRET, marked: false },
    { name: 'a password below', attribute: 'login', value: { master_password: SECRET }, marked: false },
    { name: 'user data', attribute: 'user_data_base64', value: SECRET, marked: false },
    {
      name: 'a private key',
      attribute: 'key',
      value: `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----`,
      marked: false,
    },
  ])('masks $name, and says that it changed', ({ attribute, value, marked }) => {
    const path = [
      [
        { type: 'get_attr', value: attribute },
        { type: 'index', value: { value: 0, type: 'number' } },
      ],
    ];
    const state = (content: unknown): Uint8Array =>
      aState({
        resources: [
          resource('aws_x', 'x', {
            attributes: { id: 'x', [attribute]: content },
            ...(marked ? { sensitive_attributes: path } : {}),
          }),
        ],
      });

    for (const [from, to] of [
      [state('before'), state(value)],
      [state(value), state('after')],
      [aState({}), state(value)],
      [state(value), aState({})],
    ] as const) {
      const difference = stateDifference(from, to);
      expect(difference.resources).toHaveLength(1);
      expect(difference.resources[0]?.changes.some(({ path: at }) => at.startsWith(attribute))).toBe(true);
      expect(JSON.stringify(difference)).not.toContain(SECRET);
    }
  });
});
