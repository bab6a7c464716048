import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Scope } from './aws/resource-type.js';
import type { ProviderCalls } from './terraform/wire.js';
import { startPluginServer, type PluginServer } from './terraform/plugin-server.js';

const PROVIDER_ADDRESS = 'hashicorp/aws';
const PROTOCOL_VERSION = 6;
const IDLE_MS = 15 * 60_000;
const SWEEP_MS = 60_000;

/** Value of TF_REATTACH_PROVIDERS, before it is serialised. */
export type Reattach = Readonly<Record<string, object>>;

/** A provider that waits for Terraform. */
export interface ProviderSession {
  readonly id: string;
  readonly reattach: Reattach;
}

/**
 * One provider server per run of Terraform, each on a unix socket of its own. A session ends when it is closed or has
 * been idle for a quarter of an hour.
 */
export class ProviderSessions {
  private readonly servers = new Map<string, PluginServer>();
  private readonly sweeper: NodeJS.Timeout;

  /** `directory` holds the sockets; its path must be short. */
  constructor(
    private readonly directory: string,
    private readonly makeProvider: (scope: Scope) => ProviderCalls,
  ) {
    this.sweeper = setInterval(() => void this.closeIdle(), SWEEP_MS).unref();
  }

  async start(scope: Scope): Promise<ProviderSession> {
    const id = randomUUID();
    const path = join(this.directory, `${id.slice(0, 13)}.sock`);
    this.servers.set(id, await startPluginServer(path, this.makeProvider(scope)));
    return { id, reattach: { [PROVIDER_ADDRESS]: reattachTo(path) } };
  }

  /** Ends a session; settled when it is gone already. */
  async stop(id: string): Promise<void> {
    const server = this.servers.get(id);
    this.servers.delete(id);
    await server?.close();
  }

  async close(): Promise<void> {
    clearInterval(this.sweeper);
    await Promise.all([...this.servers.keys()].map((id) => this.stop(id)));
  }

  private async closeIdle(): Promise<void> {
    for (const [id, server] of this.servers) {
      const since = server.idleSince();
      if (since && Date.now() - since.getTime() > IDLE_MS) await this.stop(id);
    }
  }
}

function reattachTo(path: string): object {
  return {
    Protocol: 'grpc',
    ProtocolVersion: PROTOCOL_VERSION,
    Pid: process.pid,
    // Terraform otherwise takes the process for its child, and crashes when it cannot end it.
    Test: true,
    Addr: { Network: 'unix', String: path },
  };
}
