import { describe, expect, it } from '@jest/globals';
import { Environment } from '@marcbachmann/cel-js';
import { Declarations } from './declarations.js';
import { compileExpression, type TypedVariable } from './expression.js';

const PARAMS: TypedVariable = { name: 'params', members: { minimum: 'int' } };
const OTHERS: TypedVariable = { name: 'params', members: { maximum: 'int' } };

describe('Declarations', () => {
  it('declares a list of variables once, and what lists begin with alike once for all of them', () => {
    let clones = 0;
    class Counted extends Environment {
      override clone(): this {
        clones += 1;
        return super.clone() as this;
      }
    }
    const base = new Counted();
    const declarations = new Declarations(base);
    const first = declarations.of(['object', PARAMS, 'item']);
    expect(declarations.of(['object', PARAMS, 'item'])).toBe(first);
    expect(declarations.of(['object', PARAMS])).not.toBe(first);
    // What is cloned of a clone is the library's own class: one look at the base for all three.
    expect(clones).toBe(1);
  });

  it('tells typed variables of one name apart', () => {
    const declarations = new Declarations(new Environment());
    expect(declarations.of([PARAMS])).not.toBe(declarations.of([OTHERS]));
    expect(declarations.of([PARAMS]).check('params.minimum > 1')).toMatchObject({ valid: true });
    expect(declarations.of([OTHERS]).check('params.minimum > 1')).toMatchObject({ valid: false });
  });

  it('leaves an environment as it was when a further variable is declared after it', () => {
    const declarations = new Declarations(new Environment());
    const before = declarations.of(['object']);
    declarations.of(['object', 'item']);
    expect(before.hasVariable('item')).toBe(false);
    expect(before.check('item')).toMatchObject({ valid: false });
  });

  it('says each time what cannot be declared', () => {
    const declarations = new Declarations(new Environment());
    for (const _ of [1, 2]) expect(() => declarations.of(['object', 'object'])).toThrow('already registered');
  });
});

it('an expression is checked by its own variables, whatever was compiled before', () => {
  expect(compileExpression('params.minimum > 1', [PARAMS], 'bool')).toMatchObject({ ok: true });
  expect(compileExpression('params.minimum > 1', [OTHERS], 'bool')).toMatchObject({ ok: false });
  expect(compileExpression('params.minimum > 1 && item', ['params', 'item'], 'bool')).toMatchObject({ ok: true });
  expect(compileExpression('item', ['params'], 'any')).toMatchObject({ ok: false });
});
