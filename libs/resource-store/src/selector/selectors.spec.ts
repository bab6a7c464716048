import { describe, expect, it } from '@jest/globals';
import { matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector } from '../index.js';

describe('parseLabelSelector', () => {
  it.each([
    { text: undefined, want: [] },
    { text: ' ', want: [] },
    { text: 'app', want: [{ key: 'app', operator: 'Exists', values: [] }] },
    { text: '! app', want: [{ key: 'app', operator: 'DoesNotExist', values: [] }] },
    { text: 'app = web', want: [{ key: 'app', operator: 'In', values: ['web'] }] },
    { text: 'app==web', want: [{ key: 'app', operator: 'In', values: ['web'] }] },
    { text: 'app!=web', want: [{ key: 'app', operator: 'NotIn', values: ['web'] }] },
    { text: 'app=', want: [{ key: 'app', operator: 'In', values: [''] }] },
    { text: 'in in (in,notin)', want: [{ key: 'in', operator: 'In', values: ['in', 'notin'] }] },
    { text: 'app notin ( a , b )', want: [{ key: 'app', operator: 'NotIn', values: ['a', 'b'] }] },
    { text: 'app in ()', want: [{ key: 'app', operator: 'In', values: [''] }] },
    {
      text: 'crate.dev/cluster-name=demo,tier in (a,b),!x',
      want: [
        { key: 'crate.dev/cluster-name', operator: 'In', values: ['demo'] },
        { key: 'tier', operator: 'In', values: ['a', 'b'] },
        { key: 'x', operator: 'DoesNotExist', values: [] },
      ],
    },
  ])('reads $text', ({ text, want }) => {
    expect(parseLabelSelector(text)).toEqual(want);
  });

  it.each([
    { text: 'app=a,', reason: 'a requirement is missing' },
    { text: ',app=a', reason: 'a requirement is missing' },
    { text: 'app=a b', reason: 'two words' },
    { text: 'app=>a', reason: 'no such operator' },
    { text: 'app in a', reason: 'parentheses are missing' },
    { text: 'app in (a', reason: 'a parenthesis is not closed' },
    { text: '=a', reason: 'the key is missing' },
    { text: '!app=a', reason: 'absent and equal at once' },
    { text: '-app=a', reason: 'a key begins with a letter or digit' },
    { text: '/app=a', reason: 'the prefix is empty' },
    { text: 'Crate.dev/app=a', reason: 'a prefix is lower case' },
    { text: `${'a'.repeat(64)}=a`, reason: 'the key is too long' },
    { text: `app=${'a'.repeat(64)}`, reason: 'the value is too long' },
    { text: 'app=-a', reason: 'a value begins with a letter or digit' },
  ])('refuses $text: $reason', ({ text }) => {
    const message = expect.stringContaining('want');
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ code: 'BadRequest', message }));
  });

  it('takes no more time than the size of the text', () => {
    const msOf = (conditions: number): number => {
      const begun = process.cpuUsage();
      expect(parseLabelSelector('a,'.repeat(conditions - 1) + 'a')).toHaveLength(conditions);
      const { user, system } = process.cpuUsage(begun);
      return (user + system) / 1000;
    };
    const part = Math.min(msOf(2_500), msOf(2_500));
    // 16 times the size takes 16 times the time; with the square of it, it would be 256 times.
    expect(Math.min(msOf(40_000), msOf(40_000))).toBeLessThan(Math.max(part, 5) * 64);
  });
});

describe('matchesLabels', () => {
  it.each([
    { selector: 'a=1', labels: { a: '1' }, want: true },
    { selector: 'a=1', labels: undefined, want: false },
    { selector: 'a!=1', labels: undefined, want: true },
    { selector: 'a!=1', labels: { a: '2' }, want: true },
    { selector: 'a notin (1,2)', labels: { a: '2' }, want: false },
    { selector: 'a in (1,2),b', labels: { a: '2' }, want: false },
    { selector: 'a in (1,2),b', labels: { a: '2', b: '' }, want: true },
    { selector: '!toString', labels: {}, want: true },
  ])('says $want for $selector and $labels', ({ selector, labels, want }) => {
    expect(matchesLabels(parseLabelSelector(selector), labels)).toBe(want);
  });
});

describe('parseFieldSelector', () => {
  it.each([
    { text: '', want: [] },
    { text: 'metadata.name=a', want: [{ path: ['metadata', 'name'], isEqual: true, value: 'a' }] },
    {
      text: 'spec.size!=3, status.phase==',
      want: [
        { path: ['spec', 'size'], isEqual: false, value: '3' },
        { path: ['status', 'phase'], isEqual: true, value: '' },
      ],
    },
    { text: 'spec.text=a\\,b\\=\\\\', want: [{ path: ['spec', 'text'], isEqual: true, value: 'a,b=\\' }] },
  ])('reads $text', ({ text, want }) => {
    expect(parseFieldSelector(text)).toEqual(want);
  });

  it.each(['metadata.name', 'metadata.name=a,', '=a', 'a..b=c', 'a.b=c=d', 'a.b in (c)', 'a.b=\\x', "a'b=c"])(
    'refuses %s',
    (text) => {
      const message = expect.stringMatching(/want|write/);
      expect(() => parseFieldSelector(text)).toThrow(expect.objectContaining({ code: 'BadRequest', message }));
    },
  );
});

describe('matchesFields', () => {
  it.each([
    { selector: 'a.b=x', object: { a: { b: 'x' } }, want: true },
    { selector: 'a.b=x', object: { a: 'b' }, want: false },
    { selector: 'a.b=', object: {}, want: true },
    { selector: 'a.b!=x', object: { a: null }, want: true },
    { selector: 'a=1.5', object: { a: 1.5 }, want: true },
    { selector: 'a=false', object: { a: false }, want: true },
    { selector: 'a.length=', object: { a: 'text' }, want: true },
    { selector: 'a.constructor.name=Object', object: { a: {} }, want: false },
  ])('says $want for $selector and $object', ({ selector, object, want }) => {
    expect(matchesFields(parseFieldSelector(selector), object)).toBe(want);
  });
});
