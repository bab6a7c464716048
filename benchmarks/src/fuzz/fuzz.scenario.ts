import { CratePlatform } from '@crate/testing';
import { Agent, request } from 'undici';
import { endpointOf, type Endpoint } from '../api/endpoint.js';
import { rounded, type Figure, type Report, type ScenarioOptions } from '../scenario.js';
import { readDocument } from './api-document.js';
import { describeFound, runFuzz, type Found, type FuzzOutcome } from './fuzz-run.js';
import { Judge, type Finding } from './judge.js';
import { RequestArbitrary } from './request-arbitrary.js';
import { ResponseSchemas } from './response-schemas.js';
import { Sender } from './send.js';
import { createWorld } from './world.js';

const REQUESTS = 50_000;
const QUICK_REQUESTS = 4_000;
const CONCURRENCY = 16;
/** Kinds of findings shown in full. */
const SHOWN = 20;
/** Requests shown of each. */
const EXAMPLES = 4;
/** The worst first. */
const RULES: readonly Finding['rule'][] = [
  ...(['leak', 'trespass', 'anonymous', 'server-error', 'hang'] as const),
  ...(['broken', 'internals', 'schema', 'undeclared'] as const),
];

/** Valid, nearly valid, hostile and foreign requests to everything the API describes. */
export async function fuzzApi(say: (line: string) => void, options: ScenarioOptions): Promise<Report> {
  const requests = options.requests ?? (options.quick ? QUICK_REQUESTS : REQUESTS);
  const seed = options.seed ?? Math.floor(Math.random() * 1_000_000);
  say('Starting a platform');
  const platform = await CratePlatform.start();
  try {
    const outcome = await fuzzPlatform(platform, { requests, seed, say });
    return reportOf(outcome, seed);
  } finally {
    say('Stopping the platform');
    await platform.remove();
  }
}

/** Fuzzes a platform that runs, and is new. */
export async function fuzzPlatform(
  platform: CratePlatform,
  { requests, seed, say }: { readonly requests: number; readonly seed: number; readonly say: (line: string) => void },
): Promise<FuzzOutcome> {
  const endpoint = endpointOf(await platform.kubeconfig());
  const document = readDocument(await fetchDocument(endpoint));
  const world = await createWorld(platform, document);
  say(`Sending ${requests} requests to ${document.operations.length} operations, seed ${seed}`);
  const sender = new Sender(endpoint, CONCURRENCY);
  try {
    return await runFuzz({
      ...{ requests, seed, sender, concurrency: CONCURRENCY },
      generator: new RequestArbitrary(document, world),
      judge: new Judge(world, new ResponseSchemas(document)),
      onProgress: (done) => say(`${done} requests`),
    });
  } finally {
    await sender.close();
  }
}

async function fetchDocument({ url, ca }: Endpoint): Promise<unknown> {
  const dispatcher = new Agent({ connect: { ca } });
  const { body } = await request(`${url}/docs/openapi.json`, { dispatcher });
  const document = await body.json();
  await dispatcher.close();
  return document;
}

/** The figures, and the first findings of each rule. */
export function reportOf({ found, tally, unmet }: FuzzOutcome, seed: number): Report {
  const figures: Record<string, Figure> = {
    seed: { value: seed, unit: '' },
    slowest: { value: rounded(tally.slowestMs / 1000), unit: 's' },
  };
  for (const rule of RULES) {
    figures[rule] = { value: found.filter((each) => each.rule === rule).length, unit: 'findings', target: 0 };
  }
  const silent = unmet.length === 0 ? [] : [`\nNothing is known of ${unmet.join(', ')}`];
  const table = [tally.table(), ...silent, ...summary(found)].join('\n');
  return { scenario: 'fuzz', figures, pass: found.length === 0, table };
}

function summary(found: readonly Found[]): string[] {
  const byKey = new Map<string, Found[]>();
  const bySeverity = [...found].sort((left, right) => RULES.indexOf(left.rule) - RULES.indexOf(right.rule));
  for (const each of bySeverity) {
    const key = `${each.rule}: ${each.detail.replaceAll(/[0-9a-f-]{6,}|\d+/g, '#').slice(0, 90)}`;
    byKey.set(key, [...(byKey.get(key) ?? []), each]);
  }
  return [...byKey].slice(0, SHOWN).map(([key, all]) => {
    const examples = all.slice(0, EXAMPLES).map(describeFound);
    return `\n${key} (${all.length})\n${examples.join('\n')}`;
  });
}
