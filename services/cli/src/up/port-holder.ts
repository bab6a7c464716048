import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Who listens on a loopback port, such as `nginx (process 812)`; undefined where the system does not tell us. */
export function findPortHolder(port: number): string | undefined {
  const sockets = listeningSockets(port);
  if (sockets.size === 0) return undefined;
  const pid = processIds().find((candidate) => holdsOneOf(candidate, sockets));
  return pid === undefined ? undefined : `${nameOf(pid)} (process ${pid})`;
}

/** Inode numbers of the sockets, as links in `/proc/<pid>/fd` have them. */
function listeningSockets(port: number): ReadonlySet<string> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readLines(file).slice(1));
  const found = rows.map((row) => row.trim().split(/\s+/)).filter((row) => row[1]?.endsWith(suffix) && row[3] === '0A');
  return new Set(found.map((row) => `socket:[${row[9]}]`));
}

function processIds(): readonly number[] {
  return list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function holdsOneOf(pid: number, sockets: ReadonlySet<string>): boolean {
  return list(`/proc/${pid}/fd`).some((descriptor) => {
    try {
      return sockets.has(readlinkSync(`/proc/${pid}/fd/${descriptor}`));
    } catch {
      return false; // Closed meanwhile.
    }
  });
}

function nameOf(pid: number): string {
  return readLines(`/proc/${pid}/comm`)[0] || 'a program';
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** Empty for what is not ours to look into. */
function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
