import { describe, expect, it } from '@jest/globals';
import i18next from 'i18next';
import strings from '../../i18n/en/yaml-editor.json' with { type: 'json' };
import { addStrings } from '../../i18n/index.js';
import type { JsonSchema } from './json-schema.js';
import { problemsOf } from './problems.js';
import type { EditorDiagnostic } from './yaml-editor-props.js';

addStrings('yamlEditor', strings);
const t = i18next.getFixedT('en', 'yamlEditor');

const SCHEMA: JsonSchema = {
  type: 'object',
  required: ['spec'],
  properties: {
    kind: { type: 'string' },
    spec: { allOf: [{ $ref: '#/components/schemas/Spec' }] },
  },
  components: {
    schemas: {
      Spec: {
        type: 'object',
        required: ['region'],
        additionalProperties: false,
        properties: {
          region: { type: 'string' },
          mode: { type: 'string', enum: ['fast', 'safe'] },
          pools: { type: 'array', items: { type: 'object', properties: { name: {}, size: { type: 'integer' } } } },
        },
      },
    },
  },
};

/** What is wrong, and the text that it is said of. */
function found(text: string, diagnostics: readonly EditorDiagnostic[] = []): readonly (readonly [string, string])[] {
  return problemsOf(text, { schema: SCHEMA, diagnostics, t }).map(({ from, to, message }) => [
    text.slice(from, to),
    message,
  ]);
}

describe('problemsOf', () => {
  it('has nothing to say of what is right', () => {
    expect(found('kind: A\nspec:\n  region: x\n  pools:\n    - size: 3\n')).toEqual([]);
  });

  it('takes a field that is null for one that is not there, as the server does', () => {
    expect(found('kind: null\nspec:\n  region: x\n  pools: null\n')).toEqual([]);
    expect(found('spec:\n  region: null\n')).toEqual([['spec', '“region” is missing']]);
    expect(found('spec:\n  region: x\n  pools: [null]\n')).toEqual([['null', 'must be of type object']]);
  });

  it('finds what the schema does not allow, where it stands', () => {
    expect(found('spec:\n  mode: slow\n  colour: red\n  pools:\n    - size: many\n')).toEqual([
      ['spec', '“region” is missing'],
      ['slow', 'must be one of "fast", "safe"'],
      ['red', 'unknown field “colour”'],
      ['many', 'must be of type integer'],
    ]);
  });

  it('says of a field that is not known which one was meant, and lets the server say it where it does', () => {
    const text = 'spec:\n  region: x\n  poolz:\n    - name: a\n';
    expect(found(text)).toEqual([['poolz', 'unknown field “poolz”, did you mean “pools”?']]);
    expect(found(text, [{ field: 'spec.poolz', message: 'unknown field' }])).toEqual([
      ['poolz', 'spec.poolz: unknown field'],
    ]);
  });

  it('says how text is not YAML', () => {
    expect(found('spec:\n  a: [1\n').map(([, message]) => message)).toHaveLength(1);
  });

  it.each([
    { field: 'spec.pools[1].size', at: '2' },
    { field: 'spec.pools[name=b].size', at: '2' },
    { field: 'spec.pools[name=b]', at: 'name' },
    { field: 'spec.pools[0].disk', at: 'name' },
    { field: 'spec.region', at: 'x' },
  ])('puts what the server said of $field at its place', ({ field, at }) => {
    const text = 'spec:\n  region: x\n  pools:\n    - name: a\n      size: 1\n    - name: b\n      size: 2\n';
    expect(found(text, [{ field, message: 'no' }])).toEqual([[at, `${field}: no`]]);
  });

  it('lets the server speak where both object', () => {
    expect(found('spec:\n  region: 3\n', [{ field: 'spec.region', message: 'no such region' }])).toEqual([
      ['3', 'spec.region: no such region'],
    ]);
  });
});
