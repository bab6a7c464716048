import { freePort } from '@crate/local-servers';
import { startNats, type NatsServer } from '../nats.js';

const SIZE = 3;

interface Node {
  readonly server: NatsServer;
  readonly monitorPort: number;
}

/** Three nats-servers that pass each other's messages on. */
export class NatsCluster {
  private constructor(private nodes: readonly Node[]) {}

  /** `config`: of every server, such as its users. They end with this process, however that ends. */
  static async start(config: string): Promise<NatsCluster> {
    const ports = await Promise.all(Array.from({ length: SIZE }, freePort));
    const routes = ports.map((port) => `nats-route://127.0.0.1:${port}`);
    const nodes = ports.map(async (port) => {
      const monitorPort = await freePort();
      const cluster = `cluster: ${JSON.stringify({ name: 'crate', listen: `127.0.0.1:${port}`, routes })}`;
      const own = `http: "127.0.0.1:${monitorPort}"\n${cluster}\n`;
      return { monitorPort, server: await startNats({ config: `${config}\n${own}` }) };
    });
    return new NatsCluster(await Promise.all(nodes));
  }

  /** Of all servers that were started, with commas between them. */
  get url(): string {
    return this.nodes.map(({ server }) => server.url).join(',');
  }

  /** Kills the server that most clients are connected to; gives how many those were. */
  async loseBusiest(): Promise<number> {
    const counted = await Promise.all(this.nodes.map(async (node) => ({ node, clients: await clientsOf(node) })));
    const [busiest] = counted.sort((one, other) => other.clients - one.clients);
    if (!busiest) throw new Error('Nobody is left');
    process.kill(busiest.node.server.pid, 'SIGKILL');
    await busiest.node.server.stop();
    this.nodes = this.nodes.filter((node) => node !== busiest.node);
    return busiest.clients;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map(({ server }) => server.stop()));
  }
}

async function clientsOf({ monitorPort }: Node): Promise<number> {
  const answer = (await (await fetch(`http://127.0.0.1:${monitorPort}/varz`)).json()) as {
    readonly connections: number;
  };
  return answer.connections;
}
