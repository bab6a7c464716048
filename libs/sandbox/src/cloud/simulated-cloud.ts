import { join } from 'node:path';
import { DurableMap } from '../journal/durable-map.js';
import { AddressPool, loopbackBlock } from './aws/address-pool.js';
import { text } from './aws/values.js';
import { AwsCloud, type Addresses } from './aws-cloud.js';
import { CloudCalls } from './controllers/cloud-calls.js';
import { AwsClusterCloud } from './controllers/aws-cluster-cloud.js';
import { Faults } from './faults.js';
import { HeldCalls } from './held-calls.js';
import { Inventory } from './inventory.js';
import { Latency } from './latency.js';
import { CloudMachines } from './machines.js';
import { ProviderSessions } from './provider-sessions.js';
import { AwsProvider } from './provider.js';
import { RuntimeDirectory } from './runtime-directory.js';

/** Benchmarking networks (RFC 2544): no real host answers there. */
const PUBLIC_BLOCK = '198.18.0.0/15';
/** Only Linux answers on every address of 127.0.0.0/8 without further ado. */
const ONE_LOOPBACK = '127.0.0.1';

export interface SimulatedCloudOptions {
  readonly dataDirectory: string;
  /** Factor on latencies until the control API says otherwise. */
  readonly latencyScale: number;
}

/** The simulated cloud: what it holds, how it misbehaves, and the providers that Terraform talks to. */
export interface SimulatedCloud {
  readonly inventory: Inventory;
  readonly faults: Faults;
  readonly held: HeldCalls;
  readonly latency: Latency;
  readonly sessions: ProviderSessions;
  readonly machines: CloudMachines;
  /** What cloud controllers in clusters do. */
  readonly clusterCloud: AwsClusterCloud;
  readonly aws: AwsCloud;
  /** Calls beside Terraform. */
  readonly calls: CloudCalls;
  close(): Promise<void>;
}

/**
 * Opens the simulated cloud of a data directory, as it was when the last process stopped or died. Throws AlreadyExists
 * while another process has it.
 */
export async function openSimulatedCloud({
  dataDirectory,
  latencyScale,
}: SimulatedCloudOptions): Promise<SimulatedCloud> {
  const runtime = await RuntimeDirectory.open(dataDirectory);
  const store = await DurableMap.open(join(dataDirectory, 'cloud'));
  const settings = await DurableMap.open(join(dataDirectory, 'settings'));
  const inventory = new Inventory(store);
  const faults = new Faults(settings);
  const held = new HeldCalls(faults);
  const latency = new Latency(settings, latencyScale);
  const aws = new AwsCloud({ inventory, faults, held, latency, addresses: openAddresses(store, inventory) });
  const calls = new CloudCalls(aws);
  const sessions = new ProviderSessions(runtime.path, (scope) => new AwsProvider({ cloud: aws, faults, scope }));
  return {
    inventory,
    faults,
    held,
    latency,
    sessions,
    aws,
    machines: new CloudMachines(inventory),
    clusterCloud: new AwsClusterCloud(inventory, calls),
    calls,
    close: async () => {
      await sessions.close();
      await store.close();
      await settings.close();
      await runtime.close();
    },
  };
}

function openAddresses(store: DurableMap, inventory: Inventory): Addresses {
  const publicPool = new AddressPool(store, 'public', PUBLIC_BLOCK);
  const loopbackPool = new AddressPool(store, 'loopback', loopbackBlock(store));
  const taken = (type: string, attribute: string): Set<string> =>
    new Set([...inventory.everywhere(type)].map(({ attributes }) => text(attributes, attribute)));
  return {
    nextPublic: () => publicPool.next(taken('aws_eip', 'public_ip')),
    nextLoopback: () => (process.platform === 'linux' ? loopbackPool.next(taken('aws_lb', 'dns_name')) : ONE_LOOPBACK),
  };
}
