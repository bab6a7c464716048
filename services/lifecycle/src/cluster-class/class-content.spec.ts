import { describe, expect, it } from '@jest/globals';
import { CompiledClass } from './class-content.js';

const LOOPS = 'self.list.all(a, self.list.all(b, self.list.all(c, self.list.all(d, a + b + c + d >= 0))))';
const MESSAGE = 'nothing below 0';

function compiled(expression: string): CompiledClass {
  const constraints = [{ expression, message: MESSAGE, field: 'spec.list' }];
  const { compiled: made, errors } = CompiledClass.of({
    template: {},
    constraints,
    locked: [],
  });
  expect(errors).toEqual([]);
  return made;
}

describe('a constraint of a class', () => {
  it('that takes too long is broken, says so, and judges the next cluster as if nothing had been', () => {
    const made = compiled(LOOPS);
    const list = Array.from({ length: 500 }, (_, index) => index);
    expect(made.broken({ list }, {})).toEqual([
      { field: 'spec.list', message: expect.stringContaining('It took longer than 200 ms') },
    ]);
    expect(made.broken({ list: [1] }, {})).toEqual([]);
    expect(made.broken({ list: [-1] }, {})).toEqual([{ field: 'spec.list', message: MESSAGE }]);
  });
});
