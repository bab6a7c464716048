import { describe, expect, it } from '@jest/globals';
import { standingPlan } from './standing-plan.js';

function stateOf(...resources: object[]): { bytes: Uint8Array } {
  const state = { version: 4, serial: 1, lineage: 'a', terraform_version: '1.11.4', outputs: {}, resources };
  return { bytes: Buffer.from(JSON.stringify(state)) };
}

function changes(...resources: object[]): unknown {
  return standingPlan(stateOf(...resources))['resource_changes'];
}

const AWS = 'provider["registry.terraform.io/hashicorp/aws"]';
const vpc = { mode: 'managed', type: 'aws_vpc', name: 'vpc', provider: AWS };

describe('standingPlan', () => {
  it('shows what is in place as a plan that changes nothing', () => {
    const attributes = { id: 'vpc-1', cidr_block: '10.0.0.0/16', tags: { team: 'a' } };
    expect(standingPlan(stateOf({ ...vpc, instances: [{ attributes }] }))).toEqual({
      format_version: '1.2',
      terraform_version: '1.11.4',
      resource_changes: [
        {
          ...{ address: 'aws_vpc.vpc', mode: 'managed', type: 'aws_vpc', name: 'vpc' },
          provider_name: 'registry.terraform.io/hashicorp/aws',
          change: { actions: ['no-op'], after: attributes, after_unknown: {} },
        },
      ],
    });
  });

  it('names instances as plans do, and leaves out what is only read', () => {
    const counted = {
      ...vpc,
      instances: [
        { index_key: 0, attributes: {} },
        { index_key: 'a"b', attributes: null },
      ],
    };
    const inModule = { ...vpc, module: 'module.net', instances: [{ attributes: {} }] };
    const read = { mode: 'data', type: 'aws_ami', name: 'ubuntu', instances: [{ attributes: {} }] };
    expect(changes(counted, inModule, read)).toMatchObject([
      { address: 'aws_vpc.vpc[0]', index: 0 },
      { address: 'aws_vpc.vpc["a\"b"]'.replace('"b', '\\"b'), index: 'a"b', change: { after: {} } },
      { address: 'module.net.aws_vpc.vpc' },
    ]);
  });

  it('shows no sensitive value', () => {
    const attributes = {
      user: 'admin',
      password: 'hunter2',
      nested: [{ key: 'open' }, { key: 'hunter2' }],
      map: { deep: 'hunter2' },
      iam_secret_access_key: 'hunter2',
      metadata_options: [{ http_tokens: 'required', auth_token: 'hunter2', private_key_pem: 'hunter2' }],
      empty: { password: '' },
    };
    const paths = [
      [
        { type: 'get_attr', value: 'nested' },
        { type: 'index', value: { value: 1, type: 'number' } },
        { type: 'get_attr', value: 'key' },
      ],
      [
        { type: 'get_attr', value: 'map' },
        { type: 'index', value: { value: 'deep', type: 'string' } },
      ],
      [{ type: 'get_attr', value: 'not-there' }],
    ];
    const found = changes({ ...vpc, instances: [{ attributes, sensitive_attributes: paths }] });

    expect(JSON.stringify(found)).not.toContain('hunter2');
    expect(found).toMatchObject([
      {
        change: {
          after: {
            user: 'admin',
            password: '(sensitive value)',
            nested: [{ key: 'open' }, { key: '(sensitive value)' }],
            map: { deep: '(sensitive value)' },
            metadata_options: [{ http_tokens: 'required' }],
            empty: { password: '' },
          },
        },
      },
    ]);
  });

  it('masks all of a value where nobody knows which part is sensitive', () => {
    const paths = [[{ type: 'get_attr', value: 'map' }, { type: 'index' }]];
    const found = changes({
      ...vpc,
      instances: [{ attributes: { map: { a: 'hunter2' } }, sensitive_attributes: paths }],
    });
    expect(found).toMatchObject([{ change: { after: { map: '(sensitive value)' } } }]);
  });
});
