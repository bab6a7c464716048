import { describe, expect, it } from '@jest/globals';
import { compileTemplate, type RenderedTemplate } from './template.js';

const VARIABLE = { name: 'values', members: { size: 'int', name: 'string', isOn: 'bool' } };

function rendered(template: unknown, values: Record<string, unknown>): RenderedTemplate {
  const compiled = compileTemplate(template, VARIABLE);
  expect(compiled.errors).toEqual([]);
  return compiled.template.render(values);
}

describe('a template', () => {
  it.each([
    { reason: 'one expression alone keeps its type', given: { n: '${values.size}' }, want: { n: 3 } },
    { reason: 'inside of a text it is a text', given: ['n-${values.size}-${values.isOn}'], want: ['n-3-true'] },
    { reason: 'braces and quotes within do not end it', given: "${values.size > 2 ? '}' : '{'}", want: '}' },
    { reason: 'what is escaped stays', given: 'a $${HOME} $5', want: 'a ${HOME} $5' },
    { reason: 'anything else is taken as it is', given: { a: [1, null, true] }, want: { a: [1, null, true] } },
  ])('gives what it says: $reason', ({ given, want }) => {
    expect(rendered(given, { size: 3, name: 'x', isOn: true })).toEqual({ result: want, errors: [] });
  });

  it('names what is wrong with it, each by its place', () => {
    const { errors } = compileTemplate({ a: '${values.colour}', b: ['${', 'x${1 +}'] }, VARIABLE);
    expect(errors.map(({ path }) => path.join('.'))).toEqual(['a', 'b.0', 'b.1']);
  });

  it('says where a value makes it fail, and gives nothing', () => {
    const { result, errors } = rendered({ a: { b: '${1 / values.size}' } }, { size: 0 });
    expect(result).toBeUndefined();
    expect(errors).toMatchObject([{ path: ['a', 'b'] }]);
  });

  it('has other variables beside the first where it is told of them, and no others', () => {
    const facts = { name: 'cluster', members: { region: 'string' } };
    const { template, errors } = compileTemplate({ a: '${cluster.region}-${values.size}' }, VARIABLE, [facts]);
    expect(errors).toEqual([]);
    expect(template.render({ size: 3 }, { cluster: { region: 'x' } })).toEqual({ result: { a: 'x-3' }, errors: [] });
    const unknown = compileTemplate({ a: '${cluster.colour}', b: '${other.a}' }, VARIABLE, [facts]).errors;
    expect(unknown.map(({ path }) => path.join('.'))).toEqual(['a', 'b']);
  });
});
