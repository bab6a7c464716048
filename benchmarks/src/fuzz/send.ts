import { Pool } from 'undici';
import type { Endpoint } from '../api/endpoint.js';
import type { FuzzAnswer } from './judge.js';
import type { FuzzRequest } from './request-arbitrary.js';

/**
 * No request may take longer: the door gives each a minute and then answers with a 504, which on a busy machine has to be written and read.
 * Watches ask for one second.
 */
export const DEADLINE_MS = 90_000;

/** Sends requests as they are, in parallel. */
export class Sender {
  private readonly pool: Pool;

  constructor({ url, ca }: Endpoint, connections: number) {
    const connect = { ca };
    this.pool = new Pool(url, { connections, connect, headersTimeout: DEADLINE_MS, bodyTimeout: DEADLINE_MS });
  }

  /** Never throws: what breaks is part of the answer. */
  async send({ method, target, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(DEADLINE_MS);
    try {
      const response = await this.pool.request({
        method: method,
        path: target,
        headers,
        body: body ?? null,
        signal,
      });
      const text = await response.body.text();
      const plain = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
      return { code: response.statusCode, headers: plain, body: text, milliseconds: performance.now() - startedAt };
    } catch (error) {
      const broken = signal.aborted ? 'hang' : String((error as Error).message);
      return { code: 0, headers: {}, body: '', milliseconds: performance.now() - startedAt, broken };
    }
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
