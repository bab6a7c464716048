import { describe, expect, it } from '@jest/globals';
import { ownerTags } from '../names.js';
import { anInput } from '../testing/an-input.js';
import { synthesizeAwsCluster } from '../synthesize.js';

interface Rule {
  security_group_id: string;
  cidr_ipv4?: string;
  referenced_security_group_id?: string;
  ip_protocol: string;
  from_port?: number;
  to_port?: number;
}

const resources = synthesizeAwsCluster(anInput()).document['resource'] as Record<string, Record<string, object>>;

function all<T>(type: string): T[] {
  return Object.values(resources[type] ?? {}) as T[];
}

const ingress = all<Rule>('aws_vpc_security_group_ingress_rule');

function whoReaches(port: number, rules = ingress): string[] {
  return rules
    .filter(({ from_port = 0, to_port = 65_535 }) => from_port <= port && port <= to_port)
    .map((rule) => `${rule.security_group_id} <- ${rule.cidr_ipv4 ?? rule.referenced_security_group_id}`)
    .map((line) => line.replaceAll(/\$\{aws_security_group\.([a-z-]+)-group\.id\}/g, '$1'))
    .sort();
}

describe('ingress', () => {
  it.each([
    {
      port: 22,
      reason: 'SSH goes to the bastion from the management networks, and from there to machines',
      want: ['bastion <- 203.0.113.0/24', 'control-plane <- bastion', 'worker <- bastion'],
    },
    { port: 2379, reason: 'etcd speaks with its own members only', want: ['control-plane <- control-plane'] },
    { port: 2380, reason: 'etcd speaks with its own members only', want: ['control-plane <- control-plane'] },
    {
      port: 6443,
      reason: 'the API server is reached through the load balancer, the bastion or from nodes',
      want: [
        'api <- 203.0.113.0/24',
        'control-plane <- api',
        'control-plane <- bastion',
        'control-plane <- control-plane',
        'control-plane <- worker',
      ],
    },
    { port: 80, reason: 'nothing listens for the world', want: [] },
    { port: 30_080, reason: 'node ports are for load balancers that Kubernetes makes itself', want: [] },
  ])('to port $port: $reason', ({ port, want }) => {
    expect(whoReaches(port)).toEqual(want);
  });

  it('to a port that was asked for goes through the load balancer, from the management networks alone', () => {
    const loadBalancerPorts = [{ port: 443, nodePort: 30_443 }];
    const input = anInput({ network: { ...anInput().network, loadBalancerPorts } });
    const exposed = synthesizeAwsCluster(input).document['resource'] as typeof resources;
    const rules = Object.values(exposed['aws_vpc_security_group_ingress_rule'] ?? {}) as Rule[];

    expect(whoReaches(443, rules)).toEqual(['api <- 203.0.113.0/24']);
    expect(whoReaches(30_443, rules)).toEqual(['worker <- api']);
    expect(Object.keys(exposed['aws_vpc_security_group_egress_rule'] ?? {})).toContain('api-port-443-to-worker');
  });

  it('lets the world in nowhere', () => {
    expect(ingress.filter(({ cidr_ipv4 }) => cidr_ipv4 === '0.0.0.0/0')).toEqual([]);
    expect(ingress.filter(({ ip_protocol }) => ip_protocol === '-1')).toEqual([]);
  });

  it('opens as many doors as there are management networks', () => {
    const two = anInput({ managementCidrs: ['203.0.113.0/24', '198.51.100.7/32', '203.0.113.0/24'] });
    const rules = (synthesizeAwsCluster(two).document['resource'] as typeof resources)[
      'aws_vpc_security_group_ingress_rule'
    ];

    expect(Object.keys(rules ?? {}).filter((name) => name.startsWith('bastion-ssh-from'))).toEqual([
      'bastion-ssh-from-198-51-100-7-32',
      'bastion-ssh-from-203-0-113-0-24',
    ]);
  });
});

describe('machines', () => {
  const machines = Object.entries(resources['aws_instance'] ?? {}) as [string, Record<string, unknown>][];

  it.each(machines)('%s has an encrypted disk and takes metadata requests with a token only', (_name, machine) => {
    expect(machine['root_block_device']).toMatchObject({ encrypted: true, volume_type: 'gp3' });
    expect(machine['metadata_options']).toMatchObject({ http_tokens: 'required', http_put_response_hop_limit: 1 });
    expect(machine['monitoring']).toBe(true);
    expect(machine['vpc_security_group_ids']).toHaveLength(1);
  });

  it('stand in private subnets without a public address, but for the bastion', () => {
    for (const [name, machine] of machines) {
      if (name === 'demo-bastion') continue;
      expect(machine['associate_public_ip_address']).toBe(false);
      expect(machine['subnet_id']).toMatch(/private-subnet/);
    }
  });

  it('wait for the way out: they install what they need when they start', () => {
    for (const [name, machine] of machines) {
      if (name === 'demo-bastion') continue;
      expect(machine['depends_on']).toEqual([expect.stringMatching(/^aws_route\.private-default-route-\d$/)]);
    }
  });
});

describe('identities', () => {
  const policies = all<{ policy: string }>('aws_iam_role_policy').map(
    ({ policy }) => JSON.parse(policy) as { Statement: { Sid: string; Action: string[]; Condition?: object }[] },
  );

  it('name every action they allow', () => {
    const actions = policies.flatMap(({ Statement }) => Statement.flatMap(({ Action }) => Action));

    expect(actions.length).toBeGreaterThan(0);
    expect(actions.filter((action) => action.includes('*'))).toEqual([]);
  });

  it('change only what carries the tag of the cluster', () => {
    const changing = /:(Add|Attach|Authorize|Create|Delete|Deregister|Detach|Modify|Register|Revoke)/;
    const statements = policies.flatMap(({ Statement }) => Statement);

    for (const { Action, Condition } of statements.filter(({ Action }) => Action.some((one) => changing.test(one)))) {
      expect(Action.every((action) => changing.test(action))).toBe(true);
      expect(JSON.stringify(Condition)).toContain('kubernetes.io/cluster/demo-');
    }
  });

  it('let the driver of volumes delete and grow no disk of a machine, and make none without the tag of the cluster', () => {
    const statements = policies.flatMap(({ Statement }) => Statement);
    const of = (action: string): unknown[] =>
      statements.filter(({ Action }) => Action.includes(action)).map(({ Condition }) => Condition);
    const tag = Object.keys(ownerTags(anInput())).find((key) => key.startsWith('kubernetes.io/cluster/')) as string;

    for (const action of ['ec2:DeleteVolume', 'ec2:ModifyVolume']) {
      expect(of(action)).toEqual([
        {
          StringEquals: { [`aws:ResourceTag/${tag}`]: 'owned' },
          Null: { 'aws:ResourceTag/CSIVolumeName': 'false' },
        },
      ]);
    }
    expect(of('ec2:CreateVolume')).toEqual([{ StringEquals: { [`aws:RequestTag/${tag}`]: 'owned' } }]);
    expect(of('ec2:CreateTags')).toEqual([
      { StringEquals: { [`aws:RequestTag/${tag}`]: 'owned', 'ec2:CreateAction': 'CreateVolume' } },
    ]);
  });

  it('give nobody rights over load balancers: no controller of the cluster makes any', () => {
    const actions = policies.flatMap(({ Statement }) => Statement.flatMap(({ Action }) => Action));
    expect(actions.filter((action) => !/^ec2:(Describe|CreateTags$|[A-Z][a-z]+Volume)/.test(action))).toEqual([]);
  });

  it('give workers no rights: nothing on them asks AWS', () => {
    expect(Object.keys(resources['aws_iam_role'] ?? {})).toEqual(['control-plane-role', 'worker-role']);
    expect(Object.keys(resources['aws_iam_role_policy'] ?? {})).toEqual(['control-plane-policy']);
  });

  describe('of the cluster of a platform that is metered', () => {
    interface Machine {
      readonly metadata_options: { readonly http_put_response_hop_limit: number };
    }
    const metered = synthesizeAwsCluster(anInput({ isMetered: true })).document['resource'] as typeof resources;

    it('let workers meter, and nothing else', () => {
      const { policy } = metered['aws_iam_role_policy']?.['worker-policy'] as { readonly policy: string };
      const { Statement } = JSON.parse(policy) as { Statement: { Action: string[] }[] };
      expect(Statement.flatMap(({ Action }) => Action)).toEqual(['aws-marketplace:MeterUsage']);
      const same = (name: string): unknown => metered['aws_iam_role_policy']?.[name];
      expect(same('control-plane-policy')).toEqual(resources['aws_iam_role_policy']?.['control-plane-policy']);
    });

    it('are reached by pods of workers alone: that of the control plane may change volumes', () => {
      const machines = Object.entries(metered['aws_instance'] ?? {}) as [string, Machine][];
      const limits = machines.map(
        ([
          name,
          {
            metadata_options: { http_put_response_hop_limit: limit },
          },
        ]) => {
          return [name.replaceAll(/^demo-|-\d+$/g, ''), limit];
        },
      );
      expect(Object.fromEntries(limits)).toEqual({ bastion: 1, 'control-plane': 1, workers: 2 });
    });
  });
});
