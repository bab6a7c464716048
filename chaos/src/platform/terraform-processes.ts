import { readdir, readFile, readlink } from 'node:fs/promises';

/** A Terraform that runs right now. */
export interface TerraformProcess {
  readonly pid: number;
  readonly pgid: number;
  /** Directory it works in: one for each Infrastructure. */
  readonly workspace: string;
}

/** Every Terraform that works below `workspaces` (Linux only). */
export async function terraformProcesses(workspaces: string): Promise<readonly TerraformProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => inspect(Number(pid))));
  return found.filter((each) => each !== undefined).filter(({ workspace }) => workspace.startsWith(workspaces));
}

async function inspect(pid: number): Promise<TerraformProcess | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    // Fields behind the name: state, parent, group. What has ended waits for its parent only.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (name !== 'terraform' || state === 'Z') return undefined;
    return { pid, pgid: Number(group), workspace: await readlink(`/proc/${pid}/cwd`) };
  } catch {
    return undefined; // It ended meanwhile.
  }
}
