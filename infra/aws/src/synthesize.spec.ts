import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { AwsClusterInput, LoadBalancerPort } from './input.js';
import { anInput } from './testing/an-input.js';
import { kubernetesClusterTag, OWNER_TAGS, PROVIDERS } from './names.js';
import { emptyAwsStack } from './empty-stack.js';
import { synthesizeAwsCluster } from './synthesize.js';

type Config = Record<string, unknown>;
type Resources = Record<string, Record<string, Config>>;

/** Types of the stack that AWS lets nobody tag. */
const UNTAGGABLE = [
  'aws_iam_role_policy',
  'aws_lb_target_group_attachment',
  'aws_route',
  'aws_route_table_association',
];

function resourcesOf(input = anInput()): Resources {
  return synthesizeAwsCluster(input).document['resource'] as Resources;
}

function flat(resources: Resources): [string, Config][] {
  return Object.entries(resources).flatMap(([type, byName]) =>
    Object.entries(byName).map(([name, config]): [string, Config] => [`${type}.${name}`, config]),
  );
}

describe('synthesizeAwsCluster', () => {
  it('writes the document that was reviewed', () => {
    expect(synthesizeAwsCluster(anInput()).document).toMatchSnapshot();
  });

  it('asks for the very version of the provider that images carry', async () => {
    const lock = JSON.parse(
      await readFile(join(import.meta.dirname, '../../../deploy/images/foreign.lock.json'), 'utf8'),
    ) as { readonly providers: Record<string, unknown> };
    const nothing = emptyAwsStack({ region: 'eu-west-1', accountId: '123456789012' });
    for (const document of [synthesizeAwsCluster(anInput()).document, nothing]) {
      const { required_providers: required } = document['terraform'] as { required_providers: Record<string, Config> };
      const asked = Object.values(required).map(({ source, version }) => [source, { version }]);
      expect(lock.providers).toEqual(Object.fromEntries(asked));
      expect(asked.map(([source]) => `registry.terraform.io/${String(source)}`)).toEqual([PROVIDERS[0]]);
    }
  });

  it('writes the smallest cluster', () => {
    const small = anInput({ network: { vpcCidr: '10.9.0.0/22', availabilityZones: 1 }, workers: 0 });

    expect(flat(resourcesOf(small)).map(([address]) => address)).toMatchSnapshot();
  });

  it('is stable: equal input gives the same bytes, in whatever order its keys are', () => {
    const { region, ...rest } = anInput();
    const [left, right] = [synthesizeAwsCluster(anInput()), synthesizeAwsCluster({ region, ...rest })];

    expect(JSON.stringify(left.document)).toBe(JSON.stringify(right.document));
    expect(left.hash).toBe(right.hash);
    expect(JSON.stringify(left.document)).not.toContain('"//"');
  });

  it('has another hash when anything differs', () => {
    const base = synthesizeAwsCluster(anInput()).hash;

    expect(synthesizeAwsCluster(anInput({ workers: 3 })).hash).not.toBe(base);
    expect(synthesizeAwsCluster(anInput({ managementCidrs: ['198.51.100.0/24'] })).hash).not.toBe(base);
  });

  it('keeps state out of the configuration', () => {
    expect(synthesizeAwsCluster(anInput()).document['terraform']).toEqual({
      required_providers: { aws: { source: 'hashicorp/aws', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) } },
      required_version: expect.any(String),
    });
  });

  it('keeps what stands when there is a newer image', () => {
    for (const machine of Object.values(resourcesOf()['aws_instance'] ?? {})) {
      expect(machine['lifecycle']).toEqual({ ignore_changes: ['ami', 'user_data'] });
    }
  });

  it('has AWS refuse a zone that there is not, in words, and never two subnets in one', () => {
    const subnets = resourcesOf()['aws_subnet'] ?? {};
    for (const index of [0, 1, 2]) {
      expect(subnets[`private-subnet-${index}`]).toMatchObject({
        availability_zone: `\${try(data.aws_availability_zones.zones.names.${index}, "us-east-1-has-fewer-than-3-zones-for-this-account")}`,
        // Which lets a cluster that stands be while a zone does not.
        lifecycle: { ignore_changes: ['availability_zone'] },
      });
    }
  });

  it('makes nothing new in zones that lack the machine types of today', () => {
    const { data } = synthesizeAwsCluster(anInput()).document as {
      data: { aws_availability_zones: { zones: { exclude_zone_ids: readonly string[] } } };
    };
    expect(data.aws_availability_zones.zones.exclude_zone_ids).toEqual(['use1-az3', 'usw1-az2', 'cac1-az3']);
  });

  it('tags everything that can be tagged with its owner', () => {
    const untagged = flat(resourcesOf()).filter(([address, config]) => {
      const tags = (config['tags'] ?? {}) as Record<string, string>;
      const keys = [...Object.values(OWNER_TAGS), kubernetesClusterTag(anInput()), 'Name'];
      return !UNTAGGABLE.includes(address.split('.')[0] ?? '') && !keys.every((key) => tags[key]);
    });

    expect(untagged).toEqual([]);
  });

  it('tags the disks of machines too', () => {
    for (const machine of Object.values(resourcesOf()['aws_instance'] ?? {})) {
      const disk = machine['root_block_device'] as { tags: Record<string, string> };
      expect(disk.tags[OWNER_TAGS.infrastructureUid]).toBe(anInput().infrastructureUid);
    }
  });

  it('gives each resource of a type a Name of its own, by which a lost one is found again', () => {
    for (const byName of Object.values(resourcesOf())) {
      const names = Object.values(byName).flatMap(({ tags }) => (tags as { Name?: string } | undefined)?.Name ?? []);
      expect(new Set(names).size).toBe(names.length);
    }
  });
});

describe('scaling', () => {
  it('adds resources at the end of the group and changes none', () => {
    const before = new Map(flat(resourcesOf(anInput({ workers: 2 }))));
    const after = flat(resourcesOf(anInput({ workers: 4 })));

    expect(after.filter(([address]) => !before.has(address)).map(([address]) => address)).toEqual([
      'aws_instance.demo-workers-2',
      'aws_instance.demo-workers-3',
    ]);
    for (const [address, config] of after) expect(before.get(address) ?? config).toEqual(config);
  });

  it('takes the last ones away when it goes down', () => {
    const names = Object.keys(resourcesOf(anInput({ workers: 1 }))['aws_instance'] ?? {});

    expect(names.filter((name) => name.includes('workers'))).toEqual(['demo-workers-0']);
  });

  it('spreads a group over the zones', () => {
    const machines = resourcesOf(anInput({ workers: 3 }))['aws_instance'] ?? {};

    expect([0, 1, 2].map((index) => machines[`demo-workers-${index}`]?.['subnet_id'])).toEqual([
      '${aws_subnet.private-subnet-0.id}',
      '${aws_subnet.private-subnet-1.id}',
      '${aws_subnet.private-subnet-2.id}',
    ]);
  });
});

describe('ports of the load balancer', () => {
  const network = { vpcCidr: '10.20.0.0/16', availabilityZones: 3 };
  const withPorts = (...loadBalancerPorts: LoadBalancerPort[]): AwsClusterInput =>
    anInput({ network: { ...network, loadBalancerPorts } });
  const https = { port: 443, nodePort: 30_443 };

  it('change nothing where none are asked for', () => {
    expect(synthesizeAwsCluster(withPorts()).hash).toBe(synthesizeAwsCluster(anInput()).hash);
  });

  it('add to a cluster that stands, and change nothing of it', () => {
    const before = new Map(flat(resourcesOf()));
    const after = flat(resourcesOf(withPorts(https)));

    expect(after.filter(([address]) => !before.has(address)).map(([address]) => address)).toEqual([
      'aws_lb_listener.port-443-listener',
      'aws_lb_target_group.port-443-targets',
      'aws_lb_target_group_attachment.demo-workers-0-port-443',
      'aws_lb_target_group_attachment.demo-workers-1-port-443',
      'aws_vpc_security_group_egress_rule.api-port-443-to-worker',
      'aws_vpc_security_group_ingress_rule.api-port-443-from-203-0-113-0-24',
      'aws_vpc_security_group_ingress_rule.worker-port-443-from-api',
    ]);
    for (const [address, config] of after) expect(before.get(address) ?? config).toEqual(config);
  });

  it('lead from the balancer of the API to the node port of every worker', () => {
    const resources = resourcesOf(withPorts(https, { port: 80, nodePort: 30_080 }));

    expect(resources['aws_lb_listener']?.['port-443-listener']).toMatchObject({
      load_balancer_arn: '${aws_lb.api-balancer.arn}',
      ...{ port: 443, protocol: 'TCP' },
      default_action: [{ type: 'forward', target_group_arn: '${aws_lb_target_group.port-443-targets.arn}' }],
    });
    expect(resources['aws_lb_target_group']?.['port-443-targets']).toMatchObject({ port: 30_443, protocol: 'TCP' });
    const attached = Object.values(resources['aws_lb_target_group_attachment'] ?? {}).filter(
      ({ target_group_arn: group }) => group === '${aws_lb_target_group.port-443-targets.arn}',
    );
    expect(attached.map(({ target_id: id, port }) => [id, port])).toEqual([
      ['${aws_instance.demo-workers-0.id}', 30_443],
      ['${aws_instance.demo-workers-1.id}', 30_443],
    ]);
  });

  it('get a group of targets with a name of its own for another node port, before the old one goes', () => {
    const groupOf = (nodePort: number): Config =>
      resourcesOf(withPorts({ port: 443, nodePort }))['aws_lb_target_group']?.['port-443-targets'] ?? {};
    const [before, after] = [groupOf(30_443), groupOf(30_444)];

    expect(after['name']).not.toBe(before['name']);
    expect(after['lifecycle']).toEqual({ create_before_destroy: true });
  });

  it('are tagged and named as everything else is, within the limits of AWS', () => {
    const clusterName = 'a'.repeat(63);
    const input = { ...withPorts({ port: 65_535, nodePort: 32_767 }, https), clusterName };
    const groups = Object.values(resourcesOf(input)['aws_lb_target_group'] ?? {});
    const names = groups.map(({ name }) => String(name));

    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(32);
    for (const { tags } of groups) expect(tags).toMatchObject({ [OWNER_TAGS.clusterUid]: input.clusterUid });
  });
});

describe('names people choose', () => {
  it('cannot collide with names of the stack', () => {
    const group = { role: 'worker', replicas: 1, machineType: 'm5.large', diskGiB: 20 } as const;
    const names = ['subnet', 'default-route', 'bastion', 'routes', 'api'];
    const input = anInput({ clusterName: 'private', machineGroups: names.map((name) => ({ ...group, name })) });

    expect(Object.keys(resourcesOf(input)['aws_instance'] ?? {})).toHaveLength(names.length + 1);
  });

  it('may start with a digit, which Terraform refuses in an identifier', () => {
    const names = Object.keys(resourcesOf(anInput({ clusterName: '3tier' }))['aws_instance'] ?? {});

    expect(names).toContain('_3tier-workers-0');
    expect(names.every((name) => /^[A-Za-z_]/.test(name))).toBe(true);
  });

  it('stay within the limits of AWS however long they are, and differ between clusters of one name', () => {
    const clusterName = 'a'.repeat(63);
    const names = (infrastructureUid: string): string[] => {
      const resources = resourcesOf(anInput({ clusterName, infrastructureUid }));
      const name = (type: string, id: string): string => String(resources[type]?.[id]?.['name']);
      return [name('aws_lb', 'api-balancer'), name('aws_iam_role', 'control-plane-role')];
    };
    const [balancer = '', role = ''] = names('one');

    expect(balancer.length).toBeLessThanOrEqual(32);
    expect(role.length).toBeLessThanOrEqual(64);
    expect(names('two')).not.toEqual([balancer, role]);
  });
});

describe('imports', () => {
  it('name one file of the provider each: its root would load all of AWS', async () => {
    const directory = join(import.meta.dirname, 'stack');
    const sources = await Promise.all(
      (await readdir(directory)).map((file) => readFile(join(directory, file), 'utf8')),
    );
    const imported = sources.flatMap((source) => [...source.matchAll(/from '(@cdktn\/provider-aws[^']*)'/g)]);

    expect(imported.length).toBeGreaterThan(0);
    for (const [, path] of imported) expect(path).toMatch(/^@cdktn\/provider-aws\/lib\/[a-z0-9-]+\/index\.js$/);
  });
});
