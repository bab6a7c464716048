import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient, type Access, type Answer } from '../conformance/http-client.js';

const PROJECTS = '/apis/lifecycle.crate.dev/v1alpha1/projects';
const COUNTER = 'example.com/counter';
const PAUSE_MS = 100;

/** What is asked again and again: something of each service, by its own door or over NATS. */
const READS = [
  '/apis/lifecycle.crate.dev/v1alpha1/clusters',
  '/apis/policy.crate.dev/v1alpha1/policies',
  '/apis/cloud.crate.dev/v1alpha1/infrastructures',
  '/apis/cluster.crate.dev/v1alpha1/kubernetesclusters',
];

/** People at work: they read, write and watch without a pause, and remember each thing that went wrong. */
export class Load {
  readonly failures: string[] = [];
  readonly seen: number[] = [];
  /** The last write that was answered. */
  written = 0;
  reads = 0;
  private readonly stopping = new AbortController();
  private readonly clients: HttpClient[] = [];
  private work: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly access: Access,
    private readonly project: string,
  ) {}

  /** From here on everything counts. */
  async start(): Promise<void> {
    const { metadata } = (await this.client().get(`${PROJECTS}/${this.project}`)).body;
    this.work = Promise.all([
      ...READS.map((path) => this.readOn(path)),
      this.writeOn(),
      this.watchOn(metadata.resourceVersion),
    ]);
  }

  /** Returns when the watch has caught up with the last write. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.work;
    this.clients.forEach((client) => client.close());
  }

  private client(): HttpClient {
    const client = new HttpClient(this.access);
    this.clients.push(client);
    return client;
  }

  private async readOn(path: string): Promise<void> {
    const client = this.client();
    while (!this.stopping.signal.aborted) {
      await this.attempt(`GET ${path}`, () => client.get(`${path}?limit=5`));
      this.reads += 1;
      await delay(PAUSE_MS);
    }
  }

  private async writeOn(): Promise<void> {
    const client = this.client();
    while (!this.stopping.signal.aborted) {
      const next = this.written + 1;
      const path = `${PROJECTS}/${this.project}`;
      await this.attempt(`PATCH ${next}`, () => client.call('PATCH', path, counting(next)));
      this.written = next;
      await delay(PAUSE_MS);
    }
  }

  /** As clients of Kubernetes do it: an end is no failure, and the next watch goes on where the last one ended. */
  private async watchOn(from: string): Promise<void> {
    const client = this.client();
    let version = from;
    while (!this.isDone()) {
      const query = `watch=1&fieldSelector=metadata.name%3D${this.project}&resourceVersion=${version}&timeoutSeconds=2`;
      const events = await client.watch(`${PROJECTS}?${query}`).catch((error: unknown) => {
        this.failures.push(`watch: ${String(error)}`);
        return [];
      });
      for (const { type, object } of events) {
        if (type !== 'MODIFIED') this.failures.push(`watch: ${type} ${JSON.stringify(object)}`);
        version = object.metadata.resourceVersion;
        this.seen.push(Number(object.metadata.annotations[COUNTER]));
      }
    }
  }

  private isDone(): boolean {
    return this.stopping.signal.aborted && this.seen.at(-1) === this.written;
  }

  private async attempt(what: string, call: () => Promise<Answer>): Promise<void> {
    try {
      const { code, text } = await call();
      if (code !== 200) this.failures.push(`${what}: ${code} ${text}`);
    } catch (error) {
      this.failures.push(`${what}: ${String(error)}`);
    }
  }
}

function counting(count: number): { readonly body: unknown; readonly headers: Record<string, string> } {
  const body = { metadata: { annotations: { [COUNTER]: String(count) } } };
  return { body, headers: { 'content-type': 'application/merge-patch+json' } };
}
