import { unavailable } from '@crate/errors';
import { settled } from '@crate/reconcile';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { stateDamaged } from '../terraform-state/state-damage.js';
import { DeletionBench } from '../testing/deletion-bench.js';
import { aContext } from '../testing/in-memory-cloud.js';

let bench: DeletionBench;
beforeEach(async () => {
  bench = await DeletionBench.start();
});

describe('what nobody remembers to have made anything', () => {
  const LATER = new Date(Date.now() + 3_600_000);
  const kind = async (): Promise<string> => (await bench.targets.of(bench.infrastructure)).kind;
  beforeEach(() => bench.cloud.runs.removeAll(bench.uid));

  it('has nothing to remove', async () => {
    expect(await kind()).toBe('untouched');
  });

  it.each([true, false])(
    'is looked at where the memory is older than the world, confirmed or not: open %s',
    async (isOpen) => {
      bench.setBack = { begunAt: LATER, isOpen };
      expect(await kind()).toBe('accessible');
      bench.infrastructure.spec = { ...bench.infrastructure.spec, accountRef: { name: 'gone' } };
      expect(await kind()).toBe('inaccessible');
    },
  );

  it('is looked at where nobody can read the state, so that a forced deletion ends which died once it had forgotten the runs', async () => {
    bench.states.find = () => Promise.reject(stateDamaged('tampered'));
    bench.force();
    expect(await kind()).toBe('accessible');

    const scope = bench.scope();
    scope.isStateLost = true;
    for (const phase of [bench.leftoversPhase(), bench.destroyPhase(), bench.proofPhase()])
      expect(await phase.run(scope, aContext())).toEqual(settled);
    bench.states.find = () => Promise.reject(unavailable('The database is away'));
    await expect(kind()).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('has nothing to remove where it was asked for since', async () => {
    bench.setBack = { begunAt: new Date(0), isOpen: false };
    expect(await kind()).toBe('untouched');
  });
});
