import fc from 'fast-check';
import type { FuzzAnswer, Finding, Judge } from './judge.js';
import type { FuzzRequest, RequestArbitrary } from './request-arbitrary.js';
import type { Sender } from './send.js';
import { Tally } from './tally.js';

/** What was sent when something was found. */
export interface Found extends Finding {
  readonly index: number;
  readonly request: FuzzRequest;
  readonly answer: FuzzAnswer;
}

export interface FuzzRunOptions {
  readonly requests: number;
  readonly seed: number;
  readonly concurrency: number;
  readonly generator: RequestArbitrary;
  readonly sender: Sender;
  readonly judge: Judge;
  readonly onProgress?: (done: number) => void;
}

export interface FuzzOutcome {
  readonly found: readonly Found[];
  readonly tally: Tally;
}

/** The request of one number: the same for the same seed, document and world. */
export function requestAt(generator: RequestArbitrary, seed: number, index: number): FuzzRequest {
  const [request] = fc.sample(generator.any(), { seed: seed * 1_000_003 + index, numRuns: 1 });
  if (!request) throw new Error('Nothing was generated');
  return request;
}

/** Sends that many requests, some at a time, and collects what must not be. */
export async function runFuzz(options: FuzzRunOptions): Promise<FuzzOutcome> {
  const { requests, seed, concurrency, generator, sender, judge, onProgress } = options;
  const found: Found[] = [];
  const tally = new Tally();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < requests; index = next++) {
      const request = requestAt(generator, seed, index);
      const answer = await sender.send(request);
      tally.add(request, answer);
      found.push(...judge.findings(request, answer).map((finding) => ({ ...finding, index, request, answer })));
      if (index % 1_000 === 999) onProgress?.(index + 1);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return { found, tally };
}

/** What was sent and answered, for people who look into it. */
export function describeFound({ index, detail, request: sent, answer }: Found): string {
  const { method, target, caller, kind, body, headers } = sent;
  const { authorization: _token, ...shown } = headers;
  const lines = [
    `  #${index} ${kind} by ${caller.name}: ${method} ${target.slice(0, 300)}`,
    `  ${JSON.stringify(shown).slice(0, 300)}`,
    `  ${JSON.stringify(body ?? '').slice(0, 700)}`,
    `  ${answer.code}: ${detail.slice(0, 700)}`,
  ];
  return lines.join('\n');
}
