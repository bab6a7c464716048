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
  /** Operations, by id, of which nothing is known: none of their requests came as far as to who does them. */
  readonly unmet: readonly string[];
}

/** For an operation that chance met with nothing. */
const ATTEMPTS = 40;

/** The request of one number: the same for the same seed, document and world. */
export function requestAt(generator: RequestArbitrary, seed: number, index: number): FuzzRequest {
  return drawnAt(generator.any(), seed, index);
}

function drawnAt(drawn: fc.Arbitrary<FuzzRequest>, seed: number, index: number): FuzzRequest {
  const [request] = fc.sample(drawn, { seed: seed * 1_000_003 + index, numRuns: 1 });
  if (!request) throw new Error('Nothing was generated');
  return request;
}

/** Sends that many requests, some at a time, then some more to what they did not meet, and collects what must not be. */
export async function runFuzz(options: FuzzRunOptions): Promise<FuzzOutcome> {
  const { requests, seed, generator, sender, judge, onProgress } = options;
  const found: Found[] = [];
  const tally = new Tally();
  const send = async (request: FuzzRequest, index: number): Promise<void> => {
    const answer = await sender.send(request);
    tally.add(request, answer);
    found.push(...judge.findings(request, answer).map((finding) => ({ ...finding, index, request, answer })));
  };
  await inLanes(options.concurrency, requests, async (index) => {
    await send(requestAt(generator, seed, index), index);
    if (index % 1_000 === 999) onProgress?.(index + 1);
  });
  const { operations } = generator;
  await inLanes(options.concurrency, operations.length, async (at) => {
    const operation = operations[at];
    for (let attempt = 0; operation && attempt < ATTEMPTS && !tally.hasMet(operation); attempt++) {
      const index = requests + at * ATTEMPTS + attempt;
      await send(drawnAt(generator.meeting(operation), seed, index), index);
    }
  });
  return { found, tally, unmet: operations.filter((each) => !tally.hasMet(each)).map(({ id }) => id) };
}

/** Does it for each number below `count`, so many at a time. */
async function inLanes(lanes: number, count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
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
