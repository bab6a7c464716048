/** A call of the cloud that stands still. */
export interface HeldCall {
  readonly fault: string;
  readonly type: string;
  readonly action: string;
  readonly moment: string;
}

/** An object of the simulated cloud. */
export interface InventoryItem {
  readonly account: string;
  readonly type: string;
  readonly id: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** The sandbox's control API, spoken without its client. */
export class SandboxControl {
  constructor(readonly url: string) {}

  async putFault(name: string, fault: object): Promise<void> {
    await this.send('PUT', `/v1/faults/${name}`, fault);
  }

  async removeFault(name: string): Promise<void> {
    await this.send('DELETE', `/v1/faults/${name}`);
  }

  async clearFaults(): Promise<void> {
    await this.send('DELETE', '/v1/faults');
  }

  async faults(): Promise<readonly { readonly name: string; readonly skip?: number }[]> {
    return (await this.send('GET', '/v1/faults')) as readonly { name: string; skip?: number }[];
  }

  /** Objects of the simulated cloud of a type. */
  async inventory(type: string): Promise<readonly InventoryItem[]> {
    return (await this.send('GET', `/v1/inventory?type=${type}`)) as readonly InventoryItem[];
  }

  /** Removes an object as somebody does in the cloud's own console. */
  async removeObject(object: InventoryItem): Promise<void> {
    await this.send('DELETE', `/v1/inventory?${queryOf(object)}`);
  }

  /** Changes an object as somebody does in the cloud's own console. */
  async changeObject(object: InventoryItem, attributes: object): Promise<void> {
    await this.send('PATCH', `/v1/inventory?${queryOf(object)}`, { attributes });
  }

  async heldCalls(): Promise<readonly HeldCall[]> {
    return (await this.send('GET', '/v1/held-calls')) as readonly HeldCall[];
  }

  async setLatency(scale: number): Promise<void> {
    await this.send('PUT', '/v1/latency', { scale });
  }

  /** How the API servers of all clusters answer: as they should when nothing is said. */
  async setTargetApis(how: { readonly down?: boolean; readonly expired?: boolean }): Promise<void> {
    await this.send('PUT', '/v1/target-apis', how);
  }

  private async send(method: string, path: string, body?: object): Promise<unknown> {
    const content = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await fetch(new URL(path, this.url), { method, ...content, signal: AbortSignal.timeout(10_000) });
    const text = await response.text();
    if (!response.ok && response.status !== 404) throw new Error(`The sandbox answered ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}

function queryOf({ account, type, id }: InventoryItem): string {
  return new URLSearchParams({ account, type, id }).toString();
}
