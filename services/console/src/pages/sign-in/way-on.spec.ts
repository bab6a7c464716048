import { describe, expect, it } from '@jest/globals';
import { codeOf, wayOn } from './way-on.js';

describe('the way on after a sign-in', () => {
  it.each([
    ['/', '/'],
    ['/clusters/team-a/demo?tab=plan#top', '/clusters/team-a/demo?tab=plan#top'],
    ['/console/', '/'],
    ['/console/audit?user=ada', '/audit?user=ada'],
    ['/sign-in-log', '/sign-in-log'],
  ])('leads from %s to %s', (to, path) => {
    expect(wayOn(to)).toBe(path);
  });

  it.each([
    undefined,
    42,
    '',
    'audit',
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/console//evil.example',
    '/\t/evil.example',
    // Where they are: who has just signed in would be asked to once more.
    '/sign-in',
    '/sign-in?to=%2Faudit',
    '/console/sign-in#top',
    '/console/sign-in/',
  ])('leads to the first page from %j', (to) => {
    expect(wayOn(to)).toBe('/');
  });
});

describe('a sign-in code', () => {
  it.each([
    ['#code=abc-_1', 'abc-_1'],
    ['#top', undefined],
    ['', undefined],
  ])('of %j is %j', (hash, code) => {
    expect(codeOf(hash)).toBe(code);
  });
});
