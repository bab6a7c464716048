import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A program that a service has started and that runs right now. */
export interface WorkingProcess {
  readonly pid: number;
  readonly pgid: number;
  /** Directory it works in: one for each Infrastructure or KubernetesCluster. */
  readonly workspace: string;
  /** It stands still (SIGSTOP), and does nothing. */
  readonly isStopped: boolean;
}

/** A program is started in its directory; only the shell before it may still be on its way there. */
const LOOKS_UNTIL_SETTLED = 3;

/**
 * Finds processes that work somewhere below some directories (Linux only): Terraform or rke, and what they have started. Cheap to ask again:
 * what was seen to work elsewhere is not looked at any more.
 */
export class ProcessFinder {
  private elsewhere = new Map<number, number>();

  constructor(private readonly workspaces: readonly string[]) {}

  look(): readonly WorkingProcess[] {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    // Ids of processes that have ended may be given again.
    const before = this.elsewhere;
    this.elsewhere = new Map();
    return pids.flatMap((pid) => this.lookAt(pid, before.get(pid) ?? 0));
  }

  private lookAt(pid: number, looks: number): readonly WorkingProcess[] {
    const found = looks < LOOKS_UNTIL_SETTLED ? inspect(pid, this.workspaces) : undefined;
    if (found === undefined) this.elsewhere.set(pid, looks + 1);
    return found && found !== 'at rest' ? [found] : [];
  }
}

/** Undefined for what works elsewhere. */
function inspect(pid: number, below: readonly string[]): WorkingProcess | 'at rest' | undefined {
  try {
    const workspace = readlinkSync(`/proc/${pid}/cwd`);
    if (!below.some((directory) => workspace.startsWith(`${directory}/`))) return undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    // Fields behind the name: state, parent, group. What has ended waits for its parent only.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // The shell of a leash becomes the program, and leaves another one beside it.
    if (name === 'sh' || state === 'Z') return 'at rest';
    return { pid, pgid: Number(group), workspace, isStopped: state === 'T' };
  } catch {
    return undefined; // It ended meanwhile.
  }
}
