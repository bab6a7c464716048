/** A call of the cloud that stands still. */
export interface HeldCall {
  readonly fault: string;
  readonly type: string;
  readonly action: string;
  readonly moment: string;
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
