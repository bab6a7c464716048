const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is no folder',
};
const WRITE_WORDS: Readonly<Record<string, string>> = {
  EACCES: 'you may not write it',
  EPERM: 'you may not write it',
  EROFS: 'nothing can be written there',
  ENOSPC: 'no space is left there',
};

/** Why a file cannot be read, as a person says it. Source: https://nodejs.org/api/errors.html#common-system-errors */
export function whyUnreadable(error: unknown): string {
  return said(error, { EACCES: 'you may not read it' });
}

/** Why a file cannot be written, as a person says it. */
export function whyUnwritable(error: unknown): string {
  return said(error, WRITE_WORDS);
}

function said(error: unknown, words: Readonly<Record<string, string>>): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return words[code] ?? WORDS[code] ?? message;
}
