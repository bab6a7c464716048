import type { ErrorDetails } from './platform-error.js';

/** What the system of the host refused, for the person who has to put it right: without the path, which is nobody's business. */
export interface HostRefusal {
  readonly message: string;
  readonly details: Required<Pick<ErrorDetails, 'reason' | 'remedy'>>;
}

const DISK_FULL: HostRefusal = {
  message: 'The disk of the service is full',
  details: { reason: 'DiskFull', remedy: 'Make room on the volume that the service keeps its working files on' },
};
const NOT_WRITABLE: HostRefusal = {
  message: 'The service may not write its working files',
  details: {
    reason: 'DirectoryNotWritable',
    remedy: 'Mount the volume of the service writable, and owned by the user that it runs as',
  },
};
const FORBIDDEN: HostRefusal = {
  message: 'The service may not use one of its files',
  details: {
    reason: 'FileForbidden',
    remedy: 'Give the user that the service runs as the right to the file that the log of the service names',
  },
};
const TOO_MANY_OPEN: HostRefusal = {
  message: 'The service may open no more files',
  details: {
    reason: 'TooManyOpenFiles',
    remedy: 'Raise the limit of open files (nofile) of the service or its host',
  },
};
const REFUSALS: Readonly<Record<string, HostRefusal>> = {
  ENOSPC: DISK_FULL,
  EDQUOT: DISK_FULL,
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: NOT_WRITABLE,
  EMFILE: TOO_MANY_OPEN,
  ENFILE: TOO_MANY_OPEN,
};
/** Calls that do nothing but write. What is opened may be meant to be read. */
const WRITING = [
  'mkdir',
  'mkdtemp',
  'rename',
  'unlink',
  'rmdir',
  'rm',
  'write',
  'ftruncate',
  'link',
  'symlink',
  'chmod',
];
/** Firewalls of the host answer with the codes of files. */
const OF_NETWORK = ['connect', 'bind', 'listen', 'send'];

/** What the file system refused; undefined for every other error. */
export function hostRefusalOf(error: Error): HostRefusal | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return undefined;
  const refusal = REFUSALS[code];
  if (refusal !== FORBIDDEN) return refusal;
  if (OF_NETWORK.includes(syscall)) return undefined;
  return WRITING.includes(syscall) ? NOT_WRITABLE : refusal;
}
