import { describe, expect, it } from '@jest/globals';
import { sectionOf, withSection } from './changelog.js';
import { parseCommit, type Commit } from './history.js';
import { nextVersion } from './version.js';

const commits = (...messages: string[]): Commit[] =>
  messages.flatMap((message, index) => parseCommit(`c${index}`, message) ?? []);

describe('a commit', () => {
  it.each([
    { message: 'feat(api): a kind', want: { type: 'feat', scope: 'api', subject: 'a kind', isBreaking: false } },
    { message: 'fix: a hole', want: { type: 'fix', scope: undefined, subject: 'a hole', isBreaking: false } },
    { message: 'feat(cli)!: other words', want: { isBreaking: true } },
    { message: 'fix: x\n\nwhy\n\nBREAKING CHANGE: y is gone', want: { isBreaking: true } },
  ])('is read: $message', ({ message, want }) => {
    expect(parseCommit('abc', message)).toMatchObject(want);
  });

  it('is left out when it is not by the convention', () => {
    expect(parseCommit('abc', 'Merge branch x')).toBeUndefined();
  });
});

describe('the next version', () => {
  it.each([
    { current: '0.1.0', messages: ['fix: a'], want: '0.1.1' },
    { current: '0.1.4', messages: ['fix: a', 'feat: b'], want: '0.2.0' },
    { current: '0.1.4', messages: ['feat!: b'], want: '0.2.0' },
    { current: '1.2.3', messages: ['feat: b'], want: '1.3.0' },
    { current: '1.2.3', messages: ['fix!: b'], want: '2.0.0' },
    { current: '1.3.0-rc.1', messages: ['fix: a'], want: '1.3.0' },
    { current: '1.2.4-rc.1', messages: ['fix: a'], want: '1.2.4' },
    { current: '1.2.4-rc.1', messages: ['feat: b'], want: '1.3.0' },
    { current: '1.2.4-rc.1', messages: ['feat!: b'], want: '2.0.0' },
    { current: '1.3.0-rc.2', messages: ['feat: b'], want: '1.3.0' },
    { current: '2.0.0-rc.1', messages: ['feat!: b', 'feat: c'], want: '2.0.0' },
    { current: '0.1.5-rc.1', messages: ['feat!: b'], want: '0.2.0' },
    { current: '0.2.0-rc.1', messages: ['feat!: b'], want: '0.2.0' },
  ])('after $current with $messages is $want', ({ current, messages, want }) => {
    expect(nextVersion(current, commits(...messages))).toBe(want);
  });

  it('follows a version only', () => {
    expect(() => nextVersion('1.2', [])).toThrow('expected three numbers');
  });
});

describe('the changelog', () => {
  const section = sectionOf('0.2.0', '2026-01-31', commits('feat(api)!: a kind', 'fix: b', 'docs: c', 'perf(x): d'));

  it('tells what people who use Crate want to know', () => {
    expect(section).toBe(
      '## 0.2.0 (2026-01-31)\n\n### To mind when upgrading\n\n- **api**: a kind (c0)\n\n' +
        '### New\n\n- **api**: a kind (c0)\n\n### Mended\n\n- b (c1)\n\n### Faster\n\n- **x**: d (c3)\n',
    );
  });

  it('has the newest version first, and each once', () => {
    const one = withSection('# Changelog\n\nWords.\n', sectionOf('0.1.0', '2026-01-01', []));
    const two = withSection(one, section);
    expect([...two.matchAll(/^## (\S+)/gm)].map(([, version]) => version)).toEqual(['0.2.0', '0.1.0']);
    expect(two.startsWith('# Changelog\n\nWords.\n\n## 0.2.0')).toBe(true);
    expect(() => withSection(two, section)).toThrow('already has 0.2.0');
  });
});
