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
const REFUSALS: Readonly<Record<string, HostRefusal>> = {
  ENOSPC: DISK_FULL,
  EDQUOT: DISK_FULL,
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: NOT_WRITABLE,
};
/** Firewalls of the host answer with the codes of files. */
const OF_NETWORK = ['connect', 'bind', 'listen', 'send'];

/** What the file system refused; undefined for every other error. */
export function hostRefusalOf(error: Error): HostRefusal | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined || OF_NETWORK.includes(syscall)) return undefined;
  return REFUSALS[code];
}
