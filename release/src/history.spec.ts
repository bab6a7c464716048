import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commitsSince, git, lastRelease } from './history.js';

const directory = mkdtempSync(join(tmpdir(), 'crate-history-'));
const as = ['-c', 'user.name=Ada', '-c', 'user.email=ada@crate.invalid', '-c', 'commit.gpgsign=false'];
const commit = (message: string): string => git(directory, ...as, 'commit', '-q', '--allow-empty', '-m', message);
const tag = (name: string): string => git(directory, 'tag', '--no-sign', name);

beforeAll(() => {
  git(directory, 'init', '-q');
  commit('feat: all of it');
  tag('v1.0.0-rc.1');
  commit('fix: some of it');
  tag('v1.0.0');
  commit('feat: a kind');
  tag('v1.1.0-rc.1');
  commit('fix: a hole');
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('the last release', () => {
  it.each([
    { version: undefined, want: 'v1.0.0', news: ['a hole', 'a kind'] },
    { version: '1.1.0', want: 'v1.0.0', news: ['a hole', 'a kind'] },
    { version: '1.1.0-rc.2', want: 'v1.1.0-rc.1', news: ['a hole'] },
  ])('before $version is $want: a candidate is one for candidates alone', ({ version, want, news }) => {
    expect(lastRelease(directory, version)).toBe(want);
    expect(commitsSince(directory, want).map(({ subject }) => subject)).toEqual(news);
  });

  it('is none before the first, whose candidates are none', () => {
    git(directory, 'checkout', '-q', 'v1.0.0-rc.1');
    expect(lastRelease(directory, undefined)).toBeUndefined();
  });
});
