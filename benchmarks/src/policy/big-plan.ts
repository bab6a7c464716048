import { synthesizeAwsCluster } from '@crate/infra-aws';

type Json = Readonly<Record<string, unknown>>;

/** Stacks that one plan is put together from; each has 74 resources of its own, and one for each worker. */
const STACKS = 3;
const RESOURCES_BESIDE_WORKERS = 74;

/** What a provider fills in by itself, so that a plan of something new leaves it open. */
const COMPUTED: Readonly<Record<string, readonly string[]>> = {
  aws_instance: [
    'availability_zone',
    'host_id',
    'primary_network_interface_id',
    'private_dns',
    'private_ip',
    'public_ip',
  ],
  aws_lb: ['arn_suffix', 'dns_name', 'zone_id'],
  aws_vpc: ['default_network_acl_id', 'default_route_table_id', 'default_security_group_id', 'main_route_table_id'],
  aws_security_group: ['egress', 'ingress', 'name_prefix'],
  aws_eip: ['allocation_id', 'association_id', 'private_ip', 'public_ip'],
};

/** What may be set and is not: plans say null. */
const UNSET = ['description', 'timeouts', 'region', 'force_destroy'] as const;

/**
 * A plan in Terraform's JSON that makes so many resources: what Crate's own stack says for three new clusters, each in a module of its own.
 * The same again whenever it is asked for. What refers to something that does not exist yet is unknown, as in a real one.
 */
export function bigPlan(resources: number): Json {
  const each = Math.ceil(resources / STACKS);
  const changes = Array.from({ length: STACKS }, (_, index) => stackChanges(index, each)).flat();
  return { format_version: '1.2', terraform_version: '1.9.8', resource_changes: changes.slice(0, resources) };
}

function stackChanges(index: number, resources: number): readonly Json[] {
  const byType = stackOf(index, Math.max(1, resources - RESOURCES_BESIDE_WORKERS))['resource'];
  return Object.entries(byType as Readonly<Record<string, Readonly<Record<string, Json>>>>).flatMap(([type, named]) =>
    Object.entries(named).map(([name, values]) => changeOf(`module.cluster_${index}`, { type, name, values })),
  );
}

function stackOf(index: number, workers: number): Json {
  const machines = { machineType: 'm5.large', diskGiB: 50 };
  return synthesizeAwsCluster({
    infrastructureUid: `7d3c2f0e-5a51-4a3b-9a52-0f5f6d0f9b1${index}`,
    installationId: '5f0c9a3e-8f0e-4d6b-a3a1-7d1f2f6c4e55',
    clusterUid: `2b1f5f9e-1d0a-4a44-8f2f-7b0f3f1f2c3${index}`,
    clusterName: `demo-${index}`,
    namespace: 'team-a',
    accountId: '123456789012',
    region: 'us-east-1',
    network: { vpcCidr: `10.${20 + index}.0.0/16`, availabilityZones: 3 },
    machineGroups: [
      { name: 'control-plane', role: 'control-plane', replicas: 3, ...machines },
      { name: 'workers', role: 'worker', replicas: workers, ...machines },
    ],
    sshPublicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGw0sXHx4Q3mY0fXg0z0c2Uq2Gm1Yk8m3b1a0x9y8z7w demo',
    managementCidrs: ['203.0.113.0/24'],
  }).document;
}

interface StackResource {
  readonly type: string;
  readonly name: string;
  readonly values: Json;
}

function changeOf(module: string, { type, name, values }: StackResource): Json {
  const { depends_on: _, lifecycle: __, ...own } = values;
  const stated = Object.entries(own).map(([key, value]) => [key, isBlock(key, value) ? [value] : value] as const);
  const open = ['id', 'arn', ...(COMPUTED[type] ?? [])].map((key) => [key, true] as const);
  const known = stated.filter(([, value]) => !refers(value));
  const unknown = stated.filter(([, value]) => refers(value)).map(([key]) => [key, true] as const);
  const unset = UNSET.filter((key) => !(key in own)).map((key) => [key, null] as const);
  const after = { ...Object.fromEntries([...unset, ...known]), ...('tags' in own ? { tags_all: own['tags'] } : {}) };
  return {
    address: `${module}.${type}.${name}`,
    module_address: module,
    mode: 'managed',
    type,
    name,
    provider_name: 'registry.terraform.io/hashicorp/aws',
    change: { actions: ['create'], before: null, after, after_unknown: Object.fromEntries([...open, ...unknown]) },
  };
}

/** A stack writes a block that stands once as an object; a plan has lists of them. */
function isBlock(key: string, value: unknown): boolean {
  return !key.startsWith('tags') && typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refers(value: unknown): boolean {
  return JSON.stringify(value).includes('${');
}
