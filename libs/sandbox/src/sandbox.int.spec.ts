import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAwsOutputs, synthesizeAwsCluster } from '@crate/infra-aws';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { stringify } from 'yaml';
import { TerraformWorkspace } from './cloud/testing/terraform-workspace.js';
import { startSimulatedClusters } from './cluster/simulated-clusters.js';
import { buildSandbox, finish, runKubectl, startRke } from './cluster/testing/test-bench.js';
import { SandboxClient } from './control-api/sandbox-client.js';
import { runSandbox, type RunningSandbox } from './sandbox.js';
import { authorizedKeyOf } from './ssh/public-key.js';

jest.setTimeout(120_000);

const ACCOUNT = '123456789012';

let directory: string;
let sandbox: RunningSandbox;
let workspace: TerraformWorkspace;

beforeAll(buildSandbox);

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sandbox-'));
  sandbox = await start();
  const { reattach } = await new SandboxClient(sandbox.url).startProviderSession({
    account: ACCOUNT,
    region: 'us-east-1',
  });
  workspace = await TerraformWorkspace.open(reattach);
});

afterEach(async () => {
  await workspace.close();
  await sandbox.close();
  await rm(directory, { recursive: true });
});

function start(): Promise<RunningSandbox> {
  const dataDir = join(directory, 'data');
  const logger = new InMemoryLogger();
  return runSandbox({ dataDir, port: 0, latencyScale: 0, logger, parts: [startSimulatedClusters] });
}

async function applyStack(sshPublicKey: string, workers: number): Promise<ReturnType<typeof readAwsOutputs>> {
  const machines = { machineType: 'm5.large', diskGiB: 50 };
  const { document } = synthesizeAwsCluster({
    infrastructureUid: '7d3c2f0e-5a51-4a3b-9a52-0f5f6d0f9b11',
    installationId: '5f0c9a3e-8f0e-4d6b-a3a1-7d1f2f6c4e55',
    clusterUid: '2b1f5f9e-1d0a-4a44-8f2f-7b0f3f1f2c33',
    clusterName: 'demo',
    namespace: 'team-a',
    accountId: ACCOUNT,
    region: 'us-east-1',
    network: { vpcCidr: '10.20.0.0/16', availabilityZones: 3 },
    machineGroups: [
      { name: 'control-plane', role: 'control-plane', replicas: 3, ...machines },
      { name: 'workers', role: 'worker', replicas: workers, ...machines },
    ],
    sshPublicKey,
    managementCidrs: ['203.0.113.0/24'],
  });
  await workspace.write(document);
  await workspace.plan();
  expect(await workspace.apply()).toMatchObject({ exitCode: 0 });
  return readAwsOutputs(await workspace.outputs());
}

async function up({ machines, bastionHost, apiHost }: ReturnType<typeof readAwsOutputs>): Promise<void> {
  const config = {
    cluster_name: 'demo',
    kubernetes_version: 'v1.31.4-rancher1-1',
    ssh_key_path: 'ssh-key',
    bastion_host: { address: bastionHost, user: 'ubuntu' },
    authentication: { strategy: 'x509', sans: [apiHost] },
    nodes: machines.map(({ name, role, privateIp }) => ({
      address: privateIp,
      hostname_override: name,
      user: 'ubuntu',
      role: role === 'worker' ? ['worker'] : ['controlplane', 'etcd'],
    })),
  };
  await writeFile(join(directory, 'cluster.yml'), stringify(config));
  const { code, output } = await finish(startRke(directory, sandbox.url, ['up', '--config', 'cluster.yml']));
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('successfully') as unknown });
}

it('carries a cluster from Terraform through rke to kubectl, over a restart, and leaves nothing', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  await writeFile(join(directory, 'ssh-key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const outputs = await applyStack(authorizedKeyOf(privateKey), 1);
  await up(outputs);
  const server = `https://${outputs.apiHost}:${outputs.apiPort}`;
  const nodes = async (): Promise<string[]> => {
    const { code, output } = await runKubectl(directory, server, ['get', 'nodes', '-o', 'name']);
    expect({ code, output }).toMatchObject({ code: 0 });
    return output.trim().split('\n');
  };
  expect(await nodes()).toHaveLength(4);

  await sandbox.close();
  sandbox = await start();
  expect(await nodes()).toHaveLength(4);

  const { reattach } = await new SandboxClient(sandbox.url).startProviderSession({
    account: ACCOUNT,
    region: 'us-east-1',
  });
  workspace.attach(reattach);
  await up(await applyStack(authorizedKeyOf(privateKey), 2));
  expect(await nodes()).toContain('node/demo-workers-1');

  expect(await workspace.destroy()).toMatchObject({ exitCode: 0 });
  await eventually(async () => expect(await (await fetch(new URL('/v1/clusters', sandbox.url))).json()).toEqual([]));
});
