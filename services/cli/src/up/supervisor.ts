import type { GuardedProcessOptions } from '@crate/local-servers';
import { SupervisedChild } from './child-process.js';
import type { DataDir } from './data-dir.js';
import { LogLimit } from './log-limit.js';

export interface SupervisorOptions {
  readonly dir: DataDir;
  /** Told what happens, one line at a time. */
  readonly say: (line: string) => void;
  /** Told when a process runs again, under another id. */
  readonly onRestarted: () => void;
}

/** What a child runs; where its log goes is up to the supervisor unless stated. */
export type ChildProgram = Omit<GuardedProcessOptions, 'directory'> & { readonly directory?: string };

/** Keeps the processes of a platform alive, servers and the services that stand on them, and their logs short. */
export class Supervisor {
  private readonly servers: SupervisedChild[] = [];
  private readonly services: SupervisedChild[] = [];
  private readonly logLimit: LogLimit;

  constructor(private readonly options: SupervisorOptions) {
    this.logLimit = new LogLimit(options.say);
  }

  /** Starts something that services need; it stops after them. */
  async startServer(name: string, program: ChildProgram): Promise<void> {
    this.servers.push(await this.start(name, program));
  }

  async startService(name: string, program: ChildProgram): Promise<void> {
    this.services.push(await this.start(name, program));
  }

  /** Ends what runs under the name, in order, and starts the program in its place; a name that is free is taken. */
  async replaceService(name: string, program: ChildProgram): Promise<void> {
    await this.stopService(name);
    await this.startService(name, program);
  }

  /** Ends what runs under the name, and forgets it. Idempotent. */
  async stopService(name: string): Promise<void> {
    const index = this.services.findIndex((child) => child.name === name);
    const child = this.services[index];
    if (!child) return;
    await child.stop();
    this.services.splice(this.services.indexOf(child), 1);
  }

  /** Process ids by name, in the order of the start; 0 between two lives. */
  pids(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.servers, ...this.services].map((child) => [child.name, child.pid ?? 0]));
  }

  /** How often the named process ended by itself. */
  restartsOf(name: string): number {
    return [...this.servers, ...this.services].find((child) => child.name === name)?.restarts ?? 0;
  }

  /** Ends services together, then servers one by one, last started first. Idempotent. */
  async stop(): Promise<void> {
    await Promise.all(this.services.map((child) => child.stop()));
    for (const child of this.servers.toReversed()) await child.stop();
    await this.logLimit.stop();
  }

  private async start(name: string, program: ChildProgram): Promise<SupervisedChild> {
    const { dir, say, onRestarted } = this.options;
    const { logFile = dir.log(name) } = program;
    say(`Starting ${name}`);
    this.logLimit.add({ file: logFile, former: dir.log(`${name}.1`) });
    const child = new SupervisedChild({
      directory: dir.root,
      ...program,
      ...{ name, logFile },
      onRestart: (ended, afterMs) => say(`${ended} ended and starts again in ${afterMs} ms; see ${logFile}`),
      onRestarted,
    });
    await child.start();
    return child;
  }
}
