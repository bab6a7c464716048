import { describe, expect, it } from '@jest/globals';
import { ownTarget } from './own-target.js';

describe('where a sign-in may lead', () => {
  it.each(['/console/', '/console/clusters/team-a/demo', '/console/plans?state=open&x=%2F#top'])('%s', (path) => {
    expect(ownTarget(path)).toBe(path);
  });

  it.each([
    null,
    '',
    'console/x',
    '/',
    '/docs',
    '/consoles/x',
    '//evil.example/console/',
    'https://evil.example/console/',
    'javascript:alert(1)//console/',
    '/console/../docs',
    '/console/%2e%2e/docs',
    '/console\\..\\docs',
    '/console/\\evil.example',
    '/console/\r\nset-cookie: a=b',
    '/console/\u0000',
    '/console/é',
    '/console/session',
    '/console/callback?code=1',
    '/console/sign-in?error=x',
    '/console/signed-out',
  ])('never to %j', (path) => {
    expect(ownTarget(path)).toBe('/console/');
  });
});
