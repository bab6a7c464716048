import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

const HOSTS = '/etc/hosts';
/** Of the machine, whatever a container has as its PATH. */
const TOOLS = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
/** Puts the first argument in the place of the machine's file, and becomes the rest, without the rights that this took. */
const ENTER = `PATH=${TOOLS.PATH} mount --bind "$1" ${HOSTS} && shift && exec "$@"`;
const ENTER_AS_USER = `PATH=${TOOLS.PATH} mount --bind "$1" ${HOSTS} && shift && exec /usr/bin/setpriv --inh-caps=-all --ambient-caps=-all -- "$@"`;

/** Gives the command that runs another one with a file of hosts of its own. */
export type WithHosts = (hostsFile: string, command: readonly string[]) => readonly string[];

let found: Promise<WithHosts | undefined> | undefined;

/**
 * How a process of this machine can have a file of hosts of its own: in a mount namespace, which root may have, and others inside a user namespace
 * where they stay who they are. Undefined where the kernel or the container around us allows neither. Tried once.
 */
export function findWithHosts(): Promise<WithHosts | undefined> {
  found ??= find(userInfo());
  return found;
}

async function find({ uid, gid }: { readonly uid: number; readonly gid: number }): Promise<WithHosts | undefined> {
  const asRoot = within(['--mount'], ENTER);
  const ids = [`--map-user=${uid}`, `--map-group=${gid}`];
  const asUser = within(['--user', ...ids, '--keep-caps', '--mount'], ENTER_AS_USER);
  for (const withHosts of uid === 0 ? [asRoot] : [asUser]) {
    const [command = '', ...args] = withHosts(HOSTS, ['true']);
    const works = await run(command, args, { env: TOOLS }).then(
      () => true,
      () => false,
    );
    if (works) return withHosts;
  }
  return undefined;
}

function within(namespaces: readonly string[], script: string): WithHosts {
  return (hostsFile, command) => [
    ...['/usr/bin/unshare', ...namespaces, '--', '/bin/sh', '-c', script, 'pod', hostsFile],
    ...command,
  ];
}
