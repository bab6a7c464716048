import { afterEach, beforeEach, describe } from '@jest/globals';
import { describeCascade } from './contract/cascade.contract.js';
import { describeGuards } from './contract/guards.contract.js';
import { describeLists } from './contract/lists.contract.js';
import { describeSnapshots } from './contract/snapshots.contract.js';
import { StoreBench, type StoreSettings, type StoreUnderTest } from './contract/store-bench.js';
import { describeWatches } from './contract/watches.contract.js';
import { describeWrites } from './contract/writes.contract.js';

/** What every ResourceStore does, whatever it is made of. Call it in a spec of each implementation. */
export function describeResourceStore(
  name: string,
  openStore: (settings: StoreSettings) => Promise<StoreUnderTest>,
): void {
  describe(`${name} as a ResourceStore`, () => {
    const bench = new StoreBench(openStore);
    beforeEach(() => bench.setUp());
    afterEach(() => bench.tearDown());

    describeWrites(bench);
    describeCascade(bench);
    describeGuards(bench);
    describeLists(bench);
    describeSnapshots(bench);
    describeWatches(bench);
  });
}
