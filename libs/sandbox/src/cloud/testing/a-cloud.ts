import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RESOURCE_TYPES } from '../aws/catalog.js';
import type { ResourceType, Scope } from '../aws/resource-type.js';
import { openSimulatedCloud, type SimulatedCloud } from '../simulated-cloud.js';
import { planChange } from '../terraform/plan.js';
import { conform } from '../terraform/schema.js';
import { withoutUnknown, type Values } from '../terraform/value.js';

/** Where test calls are made. */
export const SCOPE: Scope = { account: '123456789012', region: 'us-east-1' };

/** A simulated cloud in a directory of its own, without latency, for tests. */
export interface TestCloud {
  readonly cloud: SimulatedCloud;
  readonly directory: string;
  /** Creates an object as Terraform would: planned by its schema first. */
  readonly create: (type: string, config: Values, scope?: Scope) => Promise<Values>;
  readonly delete: (type: string, id: string, scope?: Scope) => Promise<void>;
  /** Closes the cloud and removes its directory. */
  readonly close: () => Promise<void>;
}

export async function aCloud(): Promise<TestCloud> {
  const directory = await mkdtemp(join(tmpdir(), 'cloud-'));
  const cloud = await openSimulatedCloud({ dataDirectory: directory, latencyScale: 0 });
  return {
    cloud,
    directory,
    create: (name, config, scope = SCOPE) => {
      const type = typeOf(name);
      const full = conform(type.block, config);
      const { planned } = planChange(type.block, { config: full, prior: null, proposed: full });
      const values = withoutUnknown(planned) as Values;
      return cloud.aws.create(
        { scope, type },
        {
          ...values,
          ...('tags' in values ? { tags_all: values['tags'] ?? {} } : {}),
        },
      );
    },
    delete: (name, id, scope = SCOPE) => cloud.aws.delete({ scope, type: typeOf(name) }, id),
    close: async () => {
      await cloud.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** A network with one machine in it, and what the machine needs. */
export async function aMachine(
  { create }: TestCloud,
  { scope = SCOPE, name = 'demo' }: { scope?: Scope; name?: string } = {},
): Promise<Record<'vpc' | 'subnet' | 'group' | 'keyPair' | 'machine', Values>> {
  const vpc = await create('aws_vpc', { cidr_block: '10.20.0.0/16', tags: { Name: name } }, scope);
  const vpcId = vpc['id'] ?? null;
  const subnet = await create('aws_subnet', { vpc_id: vpcId, cidr_block: '10.20.0.0/18' }, scope);
  const group = await create('aws_security_group', { vpc_id: vpcId, name }, scope);
  const keyPair = await create('aws_key_pair', { key_name: name, public_key: `ssh-ed25519 AAAA ${name}` }, scope);
  const machine = await create('aws_instance', aMachineConfig({ subnet, group, keyPair }), scope);
  return { vpc, subnet, group, keyPair, machine };
}

/** Configuration of a machine in the given surroundings. */
export function aMachineConfig(around: Record<'subnet' | 'group' | 'keyPair', Values>, changes: Values = {}): Values {
  return {
    ami: 'ami-00000000000000000',
    instance_type: 'm5.large',
    subnet_id: around.subnet['id'] ?? null,
    vpc_security_group_ids: [around.group['id'] ?? null],
    key_name: around.keyPair['key_name'] ?? null,
    ...changes,
  };
}

function typeOf(name: string): ResourceType {
  const type = RESOURCE_TYPES.get(name);
  if (!type) throw new Error(`No type ${name}`);
  return type;
}
