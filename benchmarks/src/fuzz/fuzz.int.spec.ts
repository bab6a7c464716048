import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CratePlatform } from '@crate/testing';
import { describeFound, type FuzzOutcome } from './fuzz-run.js';
import { fuzzPlatform } from './fuzz.scenario.js';
import { CLASSES } from './request-arbitrary.js';

/** As many as take about a minute; `npm run bench -- fuzz` sends 50,000. */
const REQUESTS = 2_500;
/** One state of the code has one verdict; the scenario takes another seed each time unless it is given one. */
const SEED = 20_261_123;

describe('the public API under fuzzing', () => {
  let platform: CratePlatform | undefined;
  let outcome: FuzzOutcome;

  beforeAll(async () => {
    platform = await CratePlatform.start();
    outcome = await fuzzPlatform(platform, { requests: REQUESTS, seed: SEED, say: () => undefined });
  }, 900_000);
  afterAll(() => platform?.remove());

  it(`breaks no rule (${REQUESTS} requests; npm run bench -- fuzz sends others)`, () => {
    expect(outcome.found.map(describeFound)).toEqual([]);
  });

  it('was met by what it sent: of each class many, and of the valid ones enough were taken', () => {
    for (const kind of CLASSES) expect(outcome.tally.total(kind)).toBeGreaterThan(REQUESTS / 25);
    expect(outcome.tally.of('valid', 2)).toBeGreaterThan(outcome.tally.total('valid') / 10);
  });
});
