/** What a file's mode says of who may read it. */
export interface FileMode {
  readonly mode: number;
  readonly uid: number;
}

/**
 * Whether anybody but its owner may read a private file. One of root's may be read by a group, too: volumes of Kubernetes give Secrets to
 * a process that is not root in no other way. PostgreSQL judges its key files like that.
 */
export function isReadableByOthers({ mode, uid }: FileMode, own = process.geteuid?.()): boolean {
  const isLent = uid === 0 && own !== 0;
  return (mode & (isLent ? 0o037 : 0o077)) !== 0;
}
