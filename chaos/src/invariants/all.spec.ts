import { expect, it } from '@jest/globals';
import { aWorld } from '../testing/a-world.js';
import { judge } from './all.js';

it('everything holds in a world in which everything is right', () => {
  expect(judge(aWorld())).toEqual([]);
});
