import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'undici';

/** Where Node listens once it got SIGUSR1. Source: https://nodejs.org/en/learn/getting-started/debugging */
const TARGETS_URL = 'http://127.0.0.1:9229/json/list';
const ATTEMPTS = 50;
const PAUSE_MS = 100;

/** What a process holds once everything that nobody needs is gone. */
export interface HeapSample {
  readonly heapMiB: number;
  /** Sockets, timers and the like that are open. */
  readonly resources: number;
}

interface Reply {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: unknown }; readonly usedSize?: number };
}

/** Looks into another Node process of this machine, which was started in the ordinary way. */
export class Inspector {
  private readonly waiting = new Map<number, (reply: Reply | undefined) => void>();
  private lastId = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener('message', ({ data }) => {
      const reply = JSON.parse(String(data)) as Reply;
      if (reply.id !== undefined) this.waiting.get(reply.id)?.(reply);
    });
    socket.addEventListener('close', () => {
      for (const answer of this.waiting.values()) answer(undefined);
    });
  }

  /** Rejects when another process holds the inspector's port. */
  static async attach(pid: number): Promise<Inspector> {
    process.kill(pid, 'SIGUSR1');
    const socket = new WebSocket(await targetUrl());
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', () => reject(new Error('The inspector refused')), { once: true });
    });
    const inspector = new Inspector(socket);
    const found = await inspector.evaluate('process.pid');
    if (found === pid) return inspector;
    socket.close();
    throw new Error(`Process ${String(found)} holds the port of the inspector; end its inspection first`);
  }

  /** Collects garbage first: what is left is in use. */
  async sample(): Promise<HeapSample> {
    await this.call('HeapProfiler.collectGarbage');
    const { result } = await this.call('Runtime.getHeapUsage');
    const resources = await this.evaluate('process.getActiveResourcesInfo().length');
    return { heapMiB: (result?.usedSize ?? NaN) / (1024 * 1024), resources: Number(resources) };
  }

  /** The process stops listening for inspectors. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.socket.addEventListener('close', resolve, { once: true }));
    // Whoever answers last is cut off.
    this.evaluate("setImmediate(() => process.getBuiltinModule('inspector').close())").catch(() => undefined);
    await Promise.race([closed, delay(1_000)]);
    this.socket.close();
  }

  private async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.call('Runtime.evaluate', { expression, returnByValue: true });
    return result?.result?.value;
  }

  private async call(method: string, params: object = {}): Promise<Reply> {
    const id = (this.lastId += 1);
    const answered = new Promise<Reply | undefined>((resolve) => this.waiting.set(id, resolve));
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ id, method, params }));
    else this.waiting.get(id)?.(undefined);
    const reply = await answered.finally(() => this.waiting.delete(id));
    if (!reply) throw new Error('The process ended, or another inspector made it stop listening');
    return reply;
  }
}

async function targetUrl(): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const targets = (await (await fetch(TARGETS_URL)).json()) as readonly { webSocketDebuggerUrl: string }[];
      if (targets[0]) return targets[0].webSocketDebuggerUrl;
    } catch (error) {
      if (attempt === ATTEMPTS) throw new Error('The process does not open its inspector', { cause: error });
    }
    await delay(PAUSE_MS);
  }
}
