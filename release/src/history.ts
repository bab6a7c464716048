import { execFileSync } from 'node:child_process';

/** A commit by the convention: `type(scope)!: subject`. */
export interface Commit {
  readonly id: string;
  readonly type: string;
  readonly scope: string | undefined;
  readonly subject: string;
  readonly isBreaking: boolean;
}

const HEAD = /^(\w+)(?:\(([^)]+)\))?(!)?: (.+)$/;
const BREAKING = /^BREAKING[ -]CHANGE: /m;
const BYTES = 64 * 1024 * 1024;

/** One commit; undefined when it is not by the convention. */
export function parseCommit(id: string, message: string): Commit | undefined {
  const match = HEAD.exec(message.split('\n')[0] ?? '');
  if (!match) return undefined;
  const [, type = '', scope, mark, subject = ''] = match;
  return { id, type, scope, subject, isBreaking: mark !== undefined || BREAKING.test(message) };
}

/** Tag of the newest release that `directory` has in its history; undefined before the first. */
export function lastRelease(directory: string): string | undefined {
  try {
    return git(directory, 'describe', '--tags', '--abbrev=0', '--match=v[0-9]*').trim();
  } catch {
    return undefined;
  }
}

/** Commits after `tag`, or all, the newest first. */
export function commitsSince(directory: string, tag: string | undefined): Commit[] {
  const range = tag === undefined ? ['HEAD'] : [`${tag}..HEAD`];
  const text = git(directory, 'log', '--no-merges', '--format=%h%x1f%B%x1e', ...range);
  return text.split('\x1e').flatMap((entry) => {
    const [id = '', message = ''] = entry.trim().split('\x1f');
    const commit = parseCommit(id, message);
    return commit === undefined ? [] : [commit];
  });
}

/** Runs git and gives what it printed. Throws when it fails. */
export function git(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd: directory,
    maxBuffer: BYTES,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
}
