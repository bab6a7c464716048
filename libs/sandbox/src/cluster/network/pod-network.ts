import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ENDPOINTS, SERVICE, type Service } from '../kinds/service.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { hostsText, recordsOf, type NameRecord } from './service-names.js';
import { ServiceRelay, type Backend, type RelayedPort } from './service-relay.js';

interface Relayed {
  readonly relay: ServiceRelay;
  readonly ports: string;
}

/**
 * How the processes of one simulated cluster find each other by the names of Services: an address of loopback for each Service of the namespaces
 * that have processes, and a file of hosts for each of these namespaces, both kept up to date.
 */
export class PodNetwork {
  private readonly files = new Map<string, string>();
  private readonly relays = new Map<string, Relayed>();

  /** Files of hosts are kept in the directory. */
  constructor(private readonly directory: string) {}

  /** Whether any process needs names. */
  get isInUse(): boolean {
    return this.files.size > 0;
  }

  /** Gives the file of hosts for processes of the namespace, with all names in it that there are now. */
  async enter(namespace: string, scope: ClusterScope): Promise<string> {
    if (!this.files.has(namespace)) this.files.set(namespace, '');
    await this.follow(scope);
    return this.fileOf(namespace);
  }

  /** Brings addresses and names in line with the Services. Idempotent. */
  follow(scope: ClusterScope): Promise<void> {
    return scope.serially('pod-network', async () => {
      const services = scope.cache.list(SERVICE).filter(({ metadata }) => this.files.has(metadata.namespace ?? ''));
      await this.closeAllBut(services);
      const records: NameRecord[] = [];
      for (const service of services) {
        const endpoints = scope.cache.find(ENDPOINTS, service.metadata.name, service.metadata.namespace);
        records.push(...recordsOf(service, endpoints, await this.addressOf(service, scope)));
      }
      await this.writeFiles(records, scope.record().network.domain);
    });
  }

  /** Ends all connections through Services. */
  async close(): Promise<void> {
    await this.closeAllBut([]);
    this.files.clear();
  }

  private async closeAllBut(services: readonly Service[]): Promise<void> {
    const wanted = new Map(services.map((service) => [service.metadata.uid, portsOf(service)]));
    for (const [uid, { relay, ports }] of this.relays) {
      if (wanted.get(uid) === ports) continue;
      this.relays.delete(uid);
      await relay.close();
    }
  }

  private async addressOf(service: Service, scope: ClusterScope): Promise<string | undefined> {
    const { metadata, spec } = service;
    if (spec.clusterIP === 'None' || spec.type === 'ExternalName') return undefined;
    const open = this.relays.get(metadata.uid);
    if (open) return open.relay.address;
    const relay = await ServiceRelay.open(relayedPorts(service, scope));
    this.relays.set(metadata.uid, { relay, ports: portsOf(service) });
    if (relay.refused.length > 0) {
      const { name, namespace } = metadata;
      scope.logger.warn(
        'Ports of a Service stay closed to processes, as the user of the sandbox may not listen at them',
        {
          ...{ name, namespace, ports: relay.refused },
        },
      );
    }
    return relay.address;
  }

  private async writeFiles(records: readonly NameRecord[], domain: string): Promise<void> {
    // What this machine knows stays known.
    const own = await readFile('/etc/hosts', 'utf8').catch(() => '127.0.0.1 localhost\n');
    await mkdir(this.directory, { recursive: true, mode: 0o755 });
    for (const [namespace, before] of this.files) {
      const text = `${own.trimEnd()}\n${hostsText(namespace, records, domain)}`;
      if (text === before) continue;
      await overwrite(this.fileOf(namespace), text);
      this.files.set(namespace, text);
    }
  }

  private fileOf(namespace: string): string {
    return join(this.directory, namespace);
  }
}

/** In the file that processes have open as theirs: another one in its place would not reach them. */
async function overwrite(path: string, text: string): Promise<void> {
  await writeFile(path, '', { flag: 'a', mode: 0o644 });
  const file = await open(path, 'r+');
  try {
    await file.write(text, 0);
    await file.truncate(Buffer.byteLength(text));
  } finally {
    await file.close();
  }
}

function relayedPorts(service: Service, { cache }: ClusterScope): readonly RelayedPort[] {
  const { name, namespace } = service.metadata;
  const isTcp = ({ protocol }: { readonly protocol: string }): boolean => protocol === 'TCP';
  return (service.spec.ports ?? []).filter(isTcp).map((port) => ({
    port: port.port,
    backends: () =>
      (cache.find(ENDPOINTS, name, namespace)?.subsets ?? []).flatMap(({ addresses = [], ports = [] }): Backend[] => {
        const target = ports.find((candidate) => candidate.name === port.name && isTcp(candidate));
        return target ? addresses.map(({ ip }) => ({ address: ip, port: target.port })) : [];
      }),
  }));
}

function portsOf({ spec }: Service): string {
  return JSON.stringify((spec.ports ?? []).map(({ name, port, protocol }) => [name, port, protocol]));
}
