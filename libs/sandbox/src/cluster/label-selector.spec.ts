import { describe, expect, it } from '@jest/globals';
import { matchesSelector } from './label-selector.js';

describe('a selector of labels', () => {
  it.each(['constructor', 'toString'])('takes %s for a label only where somebody gave it', (key) => {
    const given = { matchExpressions: [{ key, operator: 'Exists' as const }] };
    const absent = { matchExpressions: [{ key, operator: 'DoesNotExist' as const }] };
    expect([matchesSelector(given, {}), matchesSelector(absent, {})]).toEqual([false, true]);
    expect([matchesSelector(given, { [key]: 'x' }), matchesSelector(absent, { [key]: 'x' })]).toEqual([true, false]);
  });
});
