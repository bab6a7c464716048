import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@crate/api';
import { SharedFinds } from './shared-finds.js';

/** Looks that are answered by hand. */
let looks: { readonly key: string; readonly answer: (found?: KubeObject) => void; readonly fail: () => void }[];
let finds: SharedFinds<KubeObject>;
beforeEach(() => {
  looks = [];
  finds = new SharedFinds({
    find: (name, namespace) =>
      new Promise((resolve, reject) => {
        const key = `${namespace}/${name}`;
        looks.push({ key, answer: resolve, fail: () => reject(new Error('away')) });
      }),
  });
});

function anObject(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name } } as KubeObject;
}

async function turn(): Promise<void> {
  await new Promise((next) => setImmediate(next));
}

describe('SharedFinds', () => {
  it('shares a look that begins after all who share it have asked', async () => {
    const first = finds.find('a', 'team-a');
    const [second, third] = [finds.find('a', 'team-a'), finds.find('a', 'team-a')];
    await turn();
    expect(looks).toHaveLength(1);
    looks[0]?.answer(anObject('old'));
    await turn();
    expect(looks).toHaveLength(2);
    const fourth = finds.find('a', 'team-a');
    looks[1]?.answer(anObject('new'));
    await turn();
    expect(looks).toHaveLength(3);
    looks[2]?.answer();
    const names = (await Promise.all([first, second, third, fourth])).map((found) => found?.metadata.name);
    expect(names).toEqual(['old', 'new', 'new', undefined]);
  });

  it('keeps objects apart, and looks again once nobody waits', async () => {
    const both = [finds.find('a', 'team-a'), finds.find('a', 'team-b')];
    for (const look of looks) look.answer();
    await Promise.all(both);
    await turn();
    void finds.find('a', 'team-a');
    expect(looks.map(({ key }) => key)).toEqual(['team-a/a', 'team-b/a', 'team-a/a']);
  });

  it('lets a look that fails fail those only who share it', async () => {
    const [first, second] = [finds.find('a'), finds.find('a')];
    looks[0]?.fail();
    await expect(first).rejects.toThrow('away');
    looks[1]?.answer(anObject('a'));
    expect((await second)?.metadata.name).toBe('a');
    await turn();
    const third = finds.find('a');
    looks[2]?.answer();
    expect(await third).toBeUndefined();
  });
});
