import { describe, expect, it } from '@jest/globals';
import { compileExpression } from '../expression.js';
import { canonical, vectors, type Vector } from './vectors.js';

type Result = 'passed' | 'failed' | 'not applicable';

function resultOf({ source, variables, bindings, wanted }: Vector): Result {
  if (wanted === undefined) return 'not applicable';
  let value: string | undefined;
  try {
    const compiled = compileExpression(source, variables, 'any');
    if (compiled.ok) value = canonical(compiled.expression.evaluate(bindings));
  } catch {
    // An error at any time is an error.
  }
  const isRight = wanted === 'error' ? value === undefined : value === wanted.value;
  return isRight ? 'passed' : 'failed';
}

describe('the vectors of the CEL specification', () => {
  const results = vectors().map((vector) => ({ ...vector, result: resultOf(vector) }));
  const sections = [...new Set(results.map(({ section }) => section))];

  it('pass as often as docs/policies.md says', () => {
    const rates = sections.map((section) => {
      const count = (wanted: Result): number =>
        results.filter((each) => each.section === section && each.result === wanted).length;
      return `${section}: ${count('passed')} passed, ${count('failed')} failed, ${count('not applicable')} not applicable`;
    });
    const total = results.filter(({ result }) => result === 'passed').length;
    expect([...rates, `${total} of ${results.length} passed`]).toMatchSnapshot();
  });

  it('fail where it is known', () => {
    const failed = results.filter(({ result }) => result === 'failed');
    expect(failed.map(({ section, name }) => `${section}/${name}`)).toMatchSnapshot();
  });
});
