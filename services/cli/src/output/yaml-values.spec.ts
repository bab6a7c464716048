import { describe, expect, it } from '@jest/globals';
import { yamlValues } from './yaml-values.js';

describe('the values of YAML documents', () => {
  it('are those of all documents, aliases followed', () => {
    expect(yamlValues('a: &x 1\nb: *x\n---\n---\n- c\n', 'f.yaml')).toEqual([{ a: 1, b: 1 }, null, ['c']]);
    expect(yamlValues('', 'f.yaml')).toEqual([]);
  });

  it.each([
    { name: 'a mistake', text: 'a: [', message: /^f\.yaml is no YAML: .* at line 1, column 5/ },
    {
      name: 'a host that is taken for an alias',
      text: 'a: 1\n---\nspec:\n  hosts: [*.example.com]\n',
      message: /^f\.yaml is no YAML: \*\.example\.com is no text at line 4, column 11/,
    },
    {
      name: 'an alias before its anchor',
      text: 'a: *x\nb: &x 1\n',
      message: /\*x is no text at line 1, column 4, and there is no anchor of that name before it/,
    },
    {
      name: 'more aliases than anybody writes',
      text: `a: &a [1]\nb: &b [${'*a,'.repeat(20)}]\nc: [${'*b,'.repeat(20)}]\n`,
      message: /^f\.yaml is no YAML: Excessive alias count/,
    },
  ])('are refused by line and column for $name', ({ text, message }) => {
    const refused = { code: 'BadRequest', message: expect.stringMatching(message) as unknown };
    expect(() => yamlValues(text, 'f.yaml')).toThrow(expect.objectContaining(refused));
  });

  it('are told with what to do about a star', () => {
    const remedy = 'Put text that begins with * in quotes';
    expect(() => yamlValues('a: *b', 'f.yaml')).toThrow(expect.objectContaining({ details: { remedy } }));
  });
});
