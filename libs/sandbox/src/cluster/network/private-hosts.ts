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

/** Whom `/etc/passwd` of every machine knows, and who owns nothing. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** Gives the command that runs another one with a file of hosts of its own. */
export type WithHosts = (hostsFile: string, command: readonly string[]) => readonly string[];

interface Ids {
  readonly uid: number;
  readonly gid: number;
}

let found: Promise<WithHosts | undefined> | undefined;
let foundRootless: Promise<WithHosts | undefined> | undefined;

/**
 * How a process of this machine can have a file of hosts of its own: in a mount namespace, which root may have, and others inside a user namespace
 * where they stay who they are. Undefined where the kernel or the container around us allows neither. Tried once.
 */
export function findWithHosts(): Promise<WithHosts | undefined> {
  const user = userInfo();
  found ??= whereItWorks(user.uid === 0 ? within(['--mount'], ENTER) : withinUser(user));
  return found;
}

/**
 * As `findWithHosts`, for a program that refuses root: root's process takes itself for nobody, has none of root's rights, and owns root's files
 * all the same, since only the number differs. Undefined where user namespaces are not allowed.
 */
export function findRootlessWithHosts(): Promise<WithHosts | undefined> {
  const user = userInfo();
  foundRootless ??= whereItWorks(withinUser(user.uid === 0 ? NOBODY : user));
  return foundRootless;
}

async function whereItWorks(withHosts: WithHosts): Promise<WithHosts | undefined> {
  const [command = '', ...args] = withHosts(HOSTS, ['true']);
  return run(command, args, { env: TOOLS }).then(
    () => withHosts,
    () => undefined,
  );
}

function withinUser({ uid, gid }: Ids): WithHosts {
  return within(['--user', `--map-user=${uid}`, `--map-group=${gid}`, '--keep-caps', '--mount'], ENTER_AS_USER);
}

function within(namespaces: readonly string[], script: string): WithHosts {
  return (hostsFile, command) => [
    ...['/usr/bin/unshare', ...namespaces, '--', '/bin/sh', '-c', script, 'pod', hostsFile],
    ...command,
  ];
}
