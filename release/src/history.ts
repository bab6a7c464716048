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

/**
 * Tag of the newest release before `version` that `directory` has in its history; undefined before the first. Candidates count where `version`
 * is one: people who wait for what is released hear of all that came since the release before.
 */
export function lastRelease(directory: string, version: string | undefined): string | undefined {
  const leftOut = version?.includes('-') ? [] : ['--exclude=v*-*'];
  try {
    return git(directory, 'describe', '--tags', '--abbrev=0', '--match=v[0-9]*', ...leftOut).trim();
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
