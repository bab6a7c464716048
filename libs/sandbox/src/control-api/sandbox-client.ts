import { fromStatus, unavailable } from '@crate/errors';
import type { Fault, NamedFault } from '../cloud/faults.js';
import type { LatencySettings } from '../cloud/latency.js';
import type { ProviderSession } from '../cloud/provider-sessions.js';
import type { InventoryItem, ObjectRequest, SessionRequest } from './contract.js';

/** Which objects to list; absent means any. */
export interface InventoryQuery {
  readonly account?: string;
  readonly type?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

/** Names one object of the simulated cloud. */
export type ObjectRef = Pick<InventoryItem, 'account' | 'type' | 'id'>;

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: readonly (readonly [string, string])[];
  readonly body?: unknown;
}

/**
 * The sandbox's control API. Every method throws the PlatformError that the sandbox answered with, or Unavailable when
 * it does not answer.
 */
export class SandboxClient {
  constructor(
    private readonly url: string,
    private readonly signal?: AbortSignal,
  ) {}

  /** Throws Forbidden when the cloud does not take the access key. */
  async getCallerIdentity(request: SessionRequest): Promise<{ readonly account: string }> {
    return (await this.call({ method: 'POST', path: '/v1/caller-identity', body: request })) as { account: string };
  }

  /** Opens a provider for one run of Terraform; `reattach` is what TF_REATTACH_PROVIDERS holds, as JSON. */
  async startProviderSession(request: SessionRequest): Promise<ProviderSession> {
    return (await this.call({ method: 'POST', path: '/v1/provider-sessions', body: request })) as ProviderSession;
  }

  /** Closes a provider once its running calls have ended; idempotent. */
  async stopProviderSession(id: string): Promise<void> {
    await this.call({ method: 'DELETE', path: `/v1/provider-sessions/${encodeURIComponent(id)}` });
  }

  /** Objects of the simulated cloud, oldest first. */
  async listInventory(query: InventoryQuery = {}): Promise<InventoryItem[]> {
    const tags = Object.entries(query.tags ?? {}).map(([key, value]) => ['tag', `${key}=${value}`] as const);
    const rest = pairs({ account: query.account, type: query.type });
    return (await this.call({ method: 'GET', path: '/v1/inventory', query: [...rest, ...tags] })) as InventoryItem[];
  }

  /**
   * Removes an object as if somebody had done it in the cloud's own console. Throws NotFound when it is gone, and
   * Conflict while another object depends on it.
   */
  async removeObject({ account, type, id }: ObjectRef): Promise<void> {
    await this.call({ method: 'DELETE', path: '/v1/inventory', query: pairs({ account, type, id }) });
  }

  /** Makes an object as if somebody had done it in the cloud's own console. */
  async createObject(body: ObjectRequest): Promise<InventoryItem> {
    return (await this.call({ method: 'POST', path: '/v1/inventory', body })) as InventoryItem;
  }

  /**
   * Changes attributes of an object as if somebody had done it in the cloud's own console. Throws NotFound when it is gone, and
   * InvalidSpec for an attribute that it does not have.
   */
  async changeObject({ account, type, id }: ObjectRef, attributes: Readonly<Record<string, unknown>>): Promise<void> {
    const query = pairs({ account, type, id });
    await this.call({ method: 'PATCH', path: '/v1/inventory', query, body: { attributes } });
  }

  async listFaults(): Promise<NamedFault[]> {
    return (await this.call({ method: 'GET', path: '/v1/faults' })) as NamedFault[];
  }

  /** Puts a fault in force, in place of one of the same name. */
  async putFault(name: string, fault: Fault): Promise<void> {
    await this.call({ method: 'PUT', path: `/v1/faults/${encodeURIComponent(name)}`, body: fault });
  }

  /** Throws NotFound when there is no fault of that name. */
  async removeFault(name: string): Promise<void> {
    await this.call({ method: 'DELETE', path: `/v1/faults/${encodeURIComponent(name)}` });
  }

  async removeAllFaults(): Promise<void> {
    await this.call({ method: 'DELETE', path: '/v1/faults' });
  }

  /** Latency of an account, or the default one. */
  async getLatency(account?: string): Promise<LatencySettings> {
    return (await this.call({ method: 'GET', path: '/v1/latency', query: pairs({ account }) })) as LatencySettings;
  }

  /** Sets the latency of an account, or the default one. */
  async setLatency(settings: Partial<LatencySettings> & { scale: number }, account?: string): Promise<void> {
    await this.call({ method: 'PUT', path: '/v1/latency', query: pairs({ account }), body: settings });
  }

  private async call({ method, path, query = [], body }: Call): Promise<unknown> {
    const url = new URL(path, this.url);
    for (const [name, value] of query) url.searchParams.append(name, value);
    const response = await this.fetch(url, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      ...(this.signal ? { signal: this.signal } : {}),
    });
    const text = await response.text();
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    if (!response.ok) throw fromStatus(answer ?? {});
    return answer;
  }

  private async fetch(url: URL, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init);
    } catch (error) {
      if (this.signal?.aborted) throw error;
      throw unavailable('The sandbox does not answer', error);
    }
  }
}

function pairs(values: Readonly<Record<string, string | undefined>>): (readonly [string, string])[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
