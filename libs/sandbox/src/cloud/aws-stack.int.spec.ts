import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { decideOwnership, readAwsOutputs, synthesizeAwsCluster, type AwsClusterInput } from '@crate/infra-aws';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SandboxClient } from '../control-api/sandbox-client.js';
import { runSandbox, type RunningSandbox } from '../sandbox.js';
import { TerraformWorkspace } from './testing/terraform-workspace.js';

// Terraform starts a dozen times in some of these tests, and the machine may be busy with others.
jest.setTimeout(600_000);

const ACCOUNT = '123456789012';
const SCOPE = { account: ACCOUNT, region: 'us-east-1' };
const OWNER = { 'crate.dev/infrastructure-uid': '7d3c2f0e-5a51-4a3b-9a52-0f5f6d0f9b11' };

function input(workers: number, availabilityZones = 1): AwsClusterInput {
  const machines = { machineType: 'm5.large', diskGiB: 50 };
  return {
    infrastructureUid: OWNER['crate.dev/infrastructure-uid'],
    installationId: '5f0c9a3e-8f0e-4d6b-a3a1-7d1f2f6c4e55',
    clusterUid: '2b1f5f9e-1d0a-4a44-8f2f-7b0f3f1f2c33',
    clusterName: 'demo',
    namespace: 'team-a',
    accountId: ACCOUNT,
    region: 'us-east-1',
    network: { vpcCidr: '10.20.0.0/16', availabilityZones },
    machineGroups: [
      { name: 'control-plane', role: 'control-plane', replicas: 3, ...machines },
      { name: 'workers', role: 'worker', replicas: workers, ...machines },
    ],
    sshPublicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGw0sXHx4Q3mY0fXg0z0c2Uq2Gm1Yk8m3b1a0x9y8z7w demo',
    managementCidrs: ['203.0.113.0/24'],
  };
}

const documentFor = (workers: number, zones?: number): Record<string, unknown> =>
  synthesizeAwsCluster(input(workers, zones)).document;

let directory: string;
let workspace: TerraformWorkspace;
let client: SandboxClient;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sandbox-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

/** With a workspace that is open on it. */
async function openSandbox(dataDir: string): Promise<RunningSandbox> {
  const sandbox = await runSandbox({ dataDir, port: 0, latencyScale: 0, logger: new InMemoryLogger() });
  client = new SandboxClient(sandbox.url);
  await openWorkspace();
  return sandbox;
}

async function openWorkspace(): Promise<void> {
  const { reattach } = await client.startProviderSession(SCOPE);
  workspace = await TerraformWorkspace.open(reattach);
}

/** Applies until nothing is left to do, adopting what lost runs left behind, as cloud-mgmt would. */
async function converge(workers: number): Promise<void> {
  const document = documentFor(workers);
  const owned = await client.listInventory({ tags: OWNER });
  const { adoptions, strays } = decideOwnership({ document, owned, managed: await workspace.managed() });
  expect(strays).toEqual([]);
  await workspace.write(document, adoptions);
  await workspace.plan();
  expect(await workspace.apply()).toMatchObject({ exitCode: 0 });
  await workspace.write(document);
  expect(await workspace.plan()).toEqual([]);
}

async function countOf(type: string): Promise<number> {
  return (await client.listInventory({ type })).length;
}

describe('the stack under real Terraform', () => {
  let sandbox: RunningSandbox;

  beforeEach(async () => {
    sandbox = await openSandbox(directory);
  });

  afterEach(async () => {
    await workspace.close();
    await sandbox.close();
  });

  it('is created, settled, scaled up and down, and destroyed without a trace', async () => {
    await workspace.write(documentFor(2, 3));
    const creation = await workspace.plan();
    expect(new Set(creation.flatMap(({ actions }) => actions))).toEqual(new Set(['create']));
    expect(await workspace.apply()).toMatchObject({ exitCode: 0 });
    expect(await workspace.plan()).toEqual([]);
    expect(await client.listInventory({ tags: OWNER })).toHaveLength(creation.length);
    expect((await client.listInventory()).length).toBe(creation.length);

    await workspace.write(documentFor(4, 3));
    expect(await workspace.plan()).toEqual([
      { address: 'aws_instance.demo-workers-2', actions: ['create'], isImport: false },
      { address: 'aws_instance.demo-workers-3', actions: ['create'], isImport: false },
    ]);
    expect(await workspace.apply()).toMatchObject({ exitCode: 0 });

    await workspace.write(documentFor(3, 3));
    expect(await workspace.plan()).toEqual([
      { address: 'aws_instance.demo-workers-3', actions: ['delete'], isImport: false },
    ]);
    expect(await workspace.apply()).toMatchObject({ exitCode: 0 });

    expect(await workspace.destroy()).toMatchObject({ exitCode: 0 });
    expect(await client.listInventory()).toEqual([]);
  });

  it('says what the cloud refuses, and goes on where it stopped', async () => {
    await client.putFault('few', { kind: 'vcpu-quota', limit: 8 });
    await workspace.write(documentFor(2));
    await workspace.plan();
    const failed = await workspace.apply();
    expect(failed.exitCode).toBe(1);
    expect(failed.output).toMatch(/with aws_instance\.demo-[a-z-]+-\d/);
    expect(failed.output.replaceAll(/[│\s]+/g, ' ')).toContain(
      'api error VcpuLimitExceeded: You have requested more vCPU',
    );

    await client.removeAllFaults();
    await converge(2);
    expect(await countOf('aws_instance')).toBe(6);
  });

  it('stops before anything is made when credentials or the account are not right', async () => {
    await workspace.write(synthesizeAwsCluster({ ...input(1), accountId: '999999999999' }).document);
    expect((await workspace.run('plan')).output).toContain('AWS account ID not allowed: 123456789012');

    await client.putFault('rejected', { kind: 'credentials' });
    await workspace.write(documentFor(1));
    expect((await workspace.run('plan')).output.replaceAll(/[│\s]+/g, ' ')).toContain(
      'retrieving caller identity from STS: operation error STS: GetCallerIdentity, https response error StatusCode: 403',
    );
    expect(await client.listInventory()).toEqual([]);
  });

  it('has attributes that the simulated provider knows: an unknown one is refused', async () => {
    const document = structuredClone(documentFor(1)) as { resource: { aws_vpc: { vpc: Record<string, unknown> } } };
    document.resource.aws_vpc.vpc['cidr_blok'] = 'x';
    await workspace.write(document);

    expect((await workspace.run('validate')).output).toContain('cidr_blok');
  });

  it('converges after Terraform is killed while it waits for machines', async () => {
    await client.setLatency({ scale: 1, createMs: { ...NO_LATENCY, aws_instance: 60_000 } });
    await workspace.write(documentFor(2));
    await workspace.plan();
    const applying = workspace.apply();
    await eventually(async () => (await countOf('aws_instance')) > 0, { timeoutMs: 120_000 });
    workspace.kill();
    expect(await applying).toMatchObject({ exitCode: undefined });
    await workspace.forgetTornState();
    await client.setLatency({ scale: 0 });
    const lost = (await client.listInventory()).length - (await workspace.managed()).size;
    expect(lost).toBeGreaterThan(0);
    await converge(2);

    expect(await countOf('aws_instance')).toBe(6);
    expect(await countOf('aws_nat_gateway')).toBe(1);
    expect(await workspace.destroy()).toMatchObject({ exitCode: 0 });
    expect(await client.listInventory()).toEqual([]);
  });

  it('lets Terraform end what is under way when it is asked to stop', async () => {
    await client.setLatency({ scale: 1, createMs: { ...NO_LATENCY, aws_instance: 1_500 } });
    await workspace.write(documentFor(2));
    await workspace.plan();
    const applying = workspace.apply();
    await eventually(async () => (await countOf('aws_instance')) > 0, { timeoutMs: 120_000 });
    workspace.interrupt();
    expect(await applying).toMatchObject({ exitCode: 1 });

    const managed = new Set((await workspace.managed()).values());
    expect((await client.listInventory()).filter(({ id }) => !managed.has(id))).toEqual([]);
  });
});

describe('a stack that stands', () => {
  let data: string;
  let sandbox: RunningSandbox;

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'sandbox-'));
    sandbox = await openSandbox(data);
    await converge(2);
  });
  afterAll(async () => {
    await workspace.close();
    await sandbox.close();
    await rm(data, { recursive: true });
  });

  it('publishes outputs that lead to its machines', async () => {
    const outputs = readAwsOutputs(await workspace.outputs());
    const { machines } = sandbox.cloud;

    expect(outputs.machines.map(({ name }) => name)).toEqual([
      'demo-control-plane-0',
      'demo-control-plane-1',
      'demo-control-plane-2',
      'demo-workers-0',
      'demo-workers-1',
    ]);
    for (const machine of outputs.machines) {
      const found = machines.findByAddress(machine.privateIp, outputs.bastionHost);
      expect(found).toMatchObject({ id: machine.instanceId, isRunning: true, authorizedKey: input(2).sshPublicKey });
      const balancer = machines.findLoadBalancer(machine.instanceId, outputs.apiPort);
      expect(balancer?.address).toBe(machine.role === 'control-plane' ? outputs.apiHost : undefined);
    }
  });

  it('is mended where somebody removed a part of it', async () => {
    const [machine] = (await client.listInventory({ type: 'aws_instance' })).filter(
      ({ tags }) => tags['Name'] === 'demo-control-plane-1',
    );
    await client.removeObject(machine!);

    const changes = await workspace.plan();
    expect(changes.map(({ address, actions }) => `${actions.join('+')} ${address}`)).toEqual([
      'create aws_instance.demo-control-plane-1',
      'create aws_lb_target_group_attachment.demo-control-plane-1',
    ]);
    await workspace.apply();
    expect(await workspace.plan()).toEqual([]);
  });

  it('is imported whole when its state is lost', async () => {
    const before = (await client.listInventory()).map(({ id }) => id);
    await workspace.close();
    await openWorkspace();
    await workspace.write(documentFor(2));
    await converge(2);

    expect((await client.listInventory()).map(({ id }) => id).sort()).toEqual(before.sort());
  });
});

describe('a change of what is wanted', () => {
  const workers = { name: 'workers', role: 'worker', replicas: 1, machineType: 'm5.large', diskGiB: 50 } as const;
  const network = { vpcCidr: '10.20.0.0/16', availabilityZones: 1 };
  let wanted: AwsClusterInput = { ...input(1), machineGroups: [workers], network };
  let data: string;
  let sandbox: RunningSandbox;

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'sandbox-'));
    sandbox = await openSandbox(data);
    await workspace.write(synthesizeAwsCluster(wanted).document);
    await workspace.plan();
    expect(await workspace.apply()).toMatchObject({ exitCode: 0 });
  });
  afterAll(async () => {
    await workspace.close();
    await sandbox.close();
    await rm(data, { recursive: true });
  });

  it.each([
    {
      name: 'a machine type changes in place',
      change: {
        machineGroups: [{ name: 'workers', role: 'worker', replicas: 1, machineType: 'm5.2xlarge', diskGiB: 50 }],
      },
      want: ['update aws_instance.demo-workers-0'],
    },
    {
      name: 'a larger disk changes in place',
      change: {
        machineGroups: [{ name: 'workers', role: 'worker', replicas: 1, machineType: 'm5.2xlarge', diskGiB: 80 }],
      },
      want: ['update aws_instance.demo-workers-0'],
    },
    {
      name: 'another processor architecture makes a machine anew',
      change: {
        machineGroups: [{ name: 'workers', role: 'worker', replicas: 1, machineType: 'm6g.2xlarge', diskGiB: 80 }],
      },
      want: ['delete+create aws_instance.demo-workers-0'],
    },
    {
      name: 'another management network replaces rules, nothing else',
      change: { managementCidrs: ['198.51.100.0/24'] },
      want: [
        'create aws_vpc_security_group_ingress_rule.api-api-from-198-51-100-0-24',
        'create aws_vpc_security_group_ingress_rule.bastion-ssh-from-198-51-100-0-24',
        'delete aws_vpc_security_group_ingress_rule.api-api-from-203-0-113-0-24',
        'delete aws_vpc_security_group_ingress_rule.bastion-ssh-from-203-0-113-0-24',
      ],
    },
    {
      name: 'a port of the load balancer comes, and changes nothing that is there',
      change: { network: { ...network, loadBalancerPorts: [{ port: 443, nodePort: 30_443 }] } },
      want: [
        'create aws_lb_listener.port-443-listener',
        'create aws_lb_target_group.port-443-targets',
        'create aws_lb_target_group_attachment.demo-workers-0-port-443',
        'create aws_vpc_security_group_egress_rule.api-port-443-to-worker',
        'create aws_vpc_security_group_ingress_rule.api-port-443-from-198-51-100-0-24',
        'create aws_vpc_security_group_ingress_rule.worker-port-443-from-api',
      ],
    },
    {
      name: 'it leads elsewhere: the listener stays, and has a group of targets at any time',
      change: { network: { ...network, loadBalancerPorts: [{ port: 443, nodePort: 30_444 }] } },
      want: [
        'create+delete aws_lb_target_group.port-443-targets',
        'delete+create aws_lb_target_group_attachment.demo-workers-0-port-443',
        'update aws_lb_listener.port-443-listener',
        'update aws_vpc_security_group_egress_rule.api-port-443-to-worker',
        'update aws_vpc_security_group_ingress_rule.worker-port-443-from-api',
      ],
    },
    {
      name: 'it goes, whole',
      change: { network },
      want: [
        'delete aws_lb_listener.port-443-listener',
        'delete aws_lb_target_group.port-443-targets',
        'delete aws_lb_target_group_attachment.demo-workers-0-port-443',
        'delete aws_vpc_security_group_egress_rule.api-port-443-to-worker',
        'delete aws_vpc_security_group_ingress_rule.api-port-443-from-198-51-100-0-24',
        'delete aws_vpc_security_group_ingress_rule.worker-port-443-from-api',
      ],
    },
    {
      name: 'another key is for machines to come: those that run keep theirs',
      change: { sshPublicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOther other' },
      want: ['delete+create aws_key_pair.key-pair'],
    },
  ] as const)('$name', async ({ change, want }) => {
    // Each on top of what the one before left.
    wanted = { ...wanted, ...change };
    await workspace.write(synthesizeAwsCluster(wanted).document);

    const changes = (await workspace.plan()).map(({ address, actions }) => `${actions.join('+')} ${address}`);
    expect(changes.sort()).toEqual(want);
    expect(await workspace.apply()).toMatchObject({ exitCode: 0 });
    expect(await workspace.plan()).toEqual([]);
  });
});

/** Nothing takes time but what a test names. */
const NO_LATENCY = Object.fromEntries(Object.keys(documentFor(1)['resource'] as object).map((type) => [type, 0]));

describe('the sandbox process', () => {
  const children: ChildProcess[] = [];

  async function startProcess(): Promise<ChildProcess> {
    const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
    const environment = {
      CRATE_SANDBOX_DATA_DIR: directory,
      CRATE_SANDBOX_PORT: '0',
      CRATE_SANDBOX_LATENCY_SCALE: '0.02',
    };
    const child = spawn(process.execPath, [main], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const url = await new Promise<string>((resolve, reject) => {
      child.once('exit', () => reject(new Error('The sandbox did not start')));
      // Read on afterwards: nobody may write to a pipe without a reader.
      createInterface({ input: child.stdout }).on('line', (line) => {
        const said = JSON.parse(line) as { url?: string };
        if (said.url !== undefined) resolve(said.url);
      });
    });
    client = new SandboxClient(url);
    return child;
  }

  async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }

  afterEach(async () => {
    await workspace.close();
    for (const child of children.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) await end(child, 'SIGTERM');
    }
  });

  it('keeps what it told Terraform when it is killed half way', async () => {
    const killed = await startProcess();
    await openWorkspace();
    await workspace.write(documentFor(2));
    await workspace.plan();
    const applying = workspace.apply();
    await eventually(async () => (await client.listInventory()).length >= 20, { timeoutMs: 120_000 });
    await end(killed, 'SIGKILL');
    expect(await applying).toMatchObject({ exitCode: 1 });

    await startProcess();
    workspace.attach((await client.startProviderSession(SCOPE)).reattach);
    const there = new Set((await client.listInventory()).map(({ id }) => id));
    for (const id of (await workspace.managed()).values()) expect(there.has(id)).toBe(true);
    await converge(2);
    expect(await countOf('aws_instance')).toBe(6);
    expect(await workspace.destroy()).toMatchObject({ exitCode: 0 });
    expect(await client.listInventory()).toEqual([]);
  });
});
