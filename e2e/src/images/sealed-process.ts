import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GuardedProcess } from '@crate/local-servers';

const run = promisify(execFile);

export interface Mount {
  /** On this machine; `tmpfs` for one of its own in memory. */
  readonly source: string;
  readonly target: string;
  readonly isReadOnly?: boolean;
  /** Of a tmpfs. */
  readonly options?: string;
}

/** A process under what a container engine would give it: a root of its own that is read-only, mounts, a user, no privileges, an environment. */
export interface SealedProcess {
  readonly root: string;
  readonly mounts: readonly Mount[];
  readonly user: number;
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** Sets up the mounts in a namespace of its own and becomes the program. `$1`: a folder that becomes the root, `$2`: what is in it. */
const SETUP = `
set -e
root=$1; shift
mount --bind "$1" "$root"; shift
mount -o remount,bind,ro "$root"
while test "$1" != --; do
  type=$1 from=$2 to=$root$3 options=$4; shift 4
  if test ! -e "$to"; then
    if test "$type" = tmpfs || test -d "$from"; then mkdir -p "$to"; else touch "$to"; fi
  fi
  case $type in
    tmpfs) mount -t tmpfs -o "$options" tmpfs "$to" ;;
    rbind) mount --rbind "$from" "$to" ;;
    *) mount --bind "$from" "$to"; test "$type" != ro || mount -o remount,bind,ro "$to" ;;
  esac
done
shift
exec "$@"
`;
const PATH = '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'];

/** A network of its own, with loopback alone, that processes are started in. */
export class PrivateNetwork {
  private constructor(
    private readonly holder: GuardedProcess,
    private readonly scratch: string,
  ) {}

  /** `scratch`: an empty folder. */
  static async open(scratch: string): Promise<PrivateNetwork> {
    await mkdir(join(scratch, 'root'), { recursive: true });
    const args = ['--net', 'sh', '-c', 'ip link set lo up && exec sleep infinity'];
    const holder = await GuardedProcess.start({ command: 'unshare', args, directory: scratch, stopSignal: 'TERM' });
    return new PrivateNetwork(holder, scratch);
  }

  close(): Promise<void> {
    return this.holder.stop();
  }

  /** Starts it; `logFile` takes what it writes. It ends with this process, however that ends. */
  start(sealed: SealedProcess, logFile: string): Promise<GuardedProcess> {
    const [command = '', ...args] = this.commandOf(sealed);
    return GuardedProcess.start({ command, args, directory: this.scratch, env: { PATH }, stopSignal: 'TERM', logFile });
  }

  /** Runs it to its end, with `input` to read, and gives what it printed; rejects when it fails. */
  async run(sealed: SealedProcess, input = ''): Promise<string> {
    const [command = '', ...args] = this.commandOf(sealed);
    const running = run(command, args, { timeout: 240_000 });
    running.child.stdin?.end(input);
    return (await running).stdout;
  }

  /** Runs a program of this machine, as this user, in the network; gives what it printed. */
  async runHere(command: readonly string[]): Promise<string> {
    const args = [`--net=/proc/${this.holder.pid}/ns/net`, '--', ...command];
    const options = { env: { PATH, HOME: this.scratch }, timeout: 240_000, maxBuffer: 1 << 26 };
    return (await run('nsenter', args, options)).stdout;
  }

  private commandOf(sealed: SealedProcess): readonly string[] {
    const mounts = [...systemMounts(), ...sealed.mounts].flatMap(({ source, target, isReadOnly, options }) => {
      if (source === 'tmpfs') return ['tmpfs', '-', target, options ?? 'mode=0755'];
      return [target === '/proc' ? 'rbind' : isReadOnly ? 'ro' : 'rw', source, target, '-'];
    });
    const root = join(this.scratch, 'root');
    const user = String(sealed.user);
    const change = [`--root=${root}`, `--wd=${sealed.workingDirectory}`, '--setgid', user, '--setuid', user];
    // The whole environment of the program: nothing of ours gets through.
    const variables = Object.entries(sealed.environment).map(([name, value]) => `${name}=${value}`);
    return [
      ...['nsenter', `--net=/proc/${this.holder.pid}/ns/net`, '--', 'unshare', '--mount', '--'],
      ...['/bin/sh', '-c', SETUP, 'setup', root, sealed.root, ...mounts, '--'],
      ...[
        '/usr/bin/env',
        '-i',
        ...variables,
        '/usr/bin/setpriv',
        '--no-new-privs',
        '/usr/bin/unshare',
        ...change,
        '--',
      ],
      ...sealed.command,
    ];
  }
}

function systemMounts(): readonly Mount[] {
  return [
    { source: '/proc', target: '/proc' },
    { source: 'tmpfs', target: '/dev', options: 'mode=0755' },
    ...DEVICES.map((name) => ({ source: `/dev/${name}`, target: `/dev/${name}` })),
    { source: 'tmpfs', target: '/dev/shm', options: 'mode=1777' },
  ];
}
