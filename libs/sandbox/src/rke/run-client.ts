import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { challengeResponse, runEvent, type RunEvent } from '../cluster/rke-protocol.js';
import { RkeError } from './rke-error.js';

const UNREACHABLE = 'Can not reach the sandbox: start it, then run the command again';

/** The part of the sandbox's control API that stands for the hosts. */
export class RunClient {
  constructor(private readonly url: string) {}

  /** A text to sign; good for one run that starts soon. */
  async challenge(): Promise<string> {
    const response = await this.post('/v1/clusters/challenge', {});
    return challengeResponse.parse(await response.json()).challenge;
  }

  /**
   * Starts a run and gives its events as they happen; hanging up stops the run after its current step.
   * Throws RkeError when the run fails or is cut off.
   */
  async *run(path: string, body: unknown): AsyncGenerator<RunEvent> {
    const response = await this.post(path, body);
    try {
      for await (const line of createInterface({ input: Readable.fromWeb(response.body as ReadableStream) })) {
        const event = runEvent.parse(JSON.parse(line));
        if (event.event === 'failed') throw new RkeError(event.message);
        yield event;
        if (event.event === 'finished') return;
      }
    } catch (error) {
      if (error instanceof RkeError) throw error;
      throw new RkeError(UNREACHABLE, { cause: error });
    }
    throw new RkeError('Lost the connection to the hosts: the sandbox stopped');
  }

  private async post(path: string, body: unknown): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(new URL(path, this.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    } catch (error) {
      throw new RkeError(UNREACHABLE, { cause: error });
    }
    if (response.ok && response.body) return response;
    throw new RkeError(`The sandbox refused the request: HTTP ${response.status} ${await response.text()}`);
  }
}
