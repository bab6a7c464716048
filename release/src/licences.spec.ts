import { describe, expect, it } from '@jest/globals';
import { billOfMaterials, foreignComponents } from './bill-of-materials.js';
import { EXCEPTIONS, licenceProblems } from './licences.js';
import { ROOT } from './testing/root.js';

const problemsOf = (licence: string | undefined, name = 'x'): string[] =>
  licenceProblems([{ name, version: '1.0.0', licence }]);

describe('licences', () => {
  it.each(['MIT', 'Apache-2.0 AND MIT', '(MIT OR GPL-3.0-only)', 'MIT and ISC'])('may be %s', (licence) => {
    expect(problemsOf(licence)).toEqual([]);
  });

  it.each(['GPL-3.0-only', 'AGPL-3.0-or-later', 'MIT AND GPL-2.0-only', 'SEE LICENSE IN X', 'EPL-2.0'])(
    'may not be %s',
    (licence) => {
      expect(problemsOf(licence)).toEqual([expect.stringContaining(`x@1.0.0 is under ${licence}`)]);
    },
  );

  it('are stated, and exceptions are for one package each', () => {
    expect(problemsOf(undefined)).toEqual(['x@1.0.0 states no licence']);
    expect(problemsOf('EPL-2.0', 'elkjs')).toEqual([]);
    expect(problemsOf('GPL-3.0-only', 'elkjs')).toHaveLength(1);
  });
});

describe('the dependencies of this repository', () => {
  const components = foreignComponents(billOfMaterials(ROOT));

  it('are under licences that are allowed', () => {
    expect(licenceProblems(components)).toEqual([]);
    expect(components.length).toBeGreaterThan(500);
  });

  it('still have what exceptions were made for', () => {
    const names = new Set(components.map(({ name }) => name));
    expect(Object.keys(EXCEPTIONS).filter((name) => !names.has(name))).toEqual([]);
  });
});
