import { expect, it } from '@jest/globals';
import { TargetsAway } from './targets-away.js';

it('APIs of target clusters are away, and come back by themselves, though the sandbox does not answer at once', async () => {
  const told: object[] = [];
  const sandbox = {
    setTargetApis: async (how: object) => {
      told.push(how);
      if (told.length === 2) throw new Error('it is being started');
    },
  };
  const away = new TargetsAway(sandbox, 1);
  await away.end();
  await away.begin();
  expect(told).toEqual([{ down: true }]);
  await away.end();
  expect(told).toEqual([{ down: true }, {}, {}]);
});
