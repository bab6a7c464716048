import { readdir, readFile, readlink } from 'node:fs/promises';

/** A program that a service has started and that runs right now. */
export interface WorkingProcess {
  readonly pid: number;
  readonly pgid: number;
  /** Directory it works in: one for each Infrastructure or KubernetesCluster. */
  readonly workspace: string;
}

/** Every process that works somewhere below `workspaces` (Linux only): Terraform or rke, and what they have started. */
export async function workingProcesses(workspaces: string): Promise<readonly WorkingProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => inspect(Number(pid))));
  return found.filter((each) => each !== undefined).filter(({ workspace }) => workspace.startsWith(`${workspaces}/`));
}

async function inspect(pid: number): Promise<WorkingProcess | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    // Fields behind the name: state, parent, group. What has ended waits for its parent only.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // The shell of a leash becomes the program, and leaves another one beside it.
    if (name === 'sh' || state === 'Z') return undefined;
    return { pid, pgid: Number(group), workspace: await readlink(`/proc/${pid}/cwd`) };
  } catch {
    return undefined; // It ended meanwhile.
  }
}
