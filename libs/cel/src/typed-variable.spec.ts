import { describe, expect, it } from '@jest/globals';
import { fromCelValue, toCelValue } from './cel-value.js';
import { compileExpression, type TypedVariable } from './expression.js';

const PARAMS: TypedVariable = {
  name: 'params',
  members: { workers: 'int', size: 'string', zones: 'list<string>', network: { cidr: 'string' }, labels: 'map' },
};

describe('an expression over a variable whose members are known', () => {
  it.each([
    { source: 'params.workers + 1', type: 'int', reason: 'arithmetic keeps the type' },
    { source: 'params.network.cidr', type: 'string', reason: 'members of members are known' },
    { source: 'params.?size', type: 'optional<string>', reason: 'a member may be asked for if it is there' },
    { source: 'params.labels.team', type: 'dyn', reason: 'a map may hold anything' },
  ])('$source is of type $type: $reason', ({ source, type }) => {
    const compiled = compileExpression(source, [PARAMS], 'any');
    expect(compiled).toMatchObject({ ok: true, expression: { type } });
  });

  it.each([
    { source: 'params.wrokers', want: 'No such key: wrokers' },
    { source: 'params.network.mask', want: 'No such key: mask' },
    { source: 'params.size + 1', want: 'string + int' },
  ])('refuses $source before it is ever evaluated', ({ source, want }) => {
    expect(compileExpression(source, [PARAMS], 'any')).toMatchObject({
      ok: false,
      mistake: expect.stringContaining(want),
    });
  });
});

describe('fromCelValue', () => {
  it.each([
    { source: 'params.workers * 2', want: 6 },
    { source: 'params.zones.map(zone, {"zone": zone})', want: [{ zone: 'a' }, { zone: 'b' }] },
    { source: '{"cidr": params.network.cidr, "size": params.?size}', want: { cidr: '10.0.0.0/16' } },
    { source: 'params.?size', want: undefined },
    { source: 'params', want: { workers: 3, zones: ['a', 'b'], network: { cidr: '10.0.0.0/16' } } },
    { source: 'params.workers > 2', want: true },
  ])('gives $want for $source', ({ source, want }) => {
    const compiled = compileExpression(source, [PARAMS], 'any');
    if (!compiled.ok) throw new Error(compiled.mistake);
    const params = toCelValue({ workers: 3, zones: ['a', 'b'], network: { cidr: '10.0.0.0/16' } });
    expect(fromCelValue(compiled.expression.evaluate({ params }))).toEqual(want);
  });

  it('refuses what JSON has no word for', () => {
    expect(() => fromCelValue(new Date(0))).toThrow('no JSON value');
  });
});
