import { clientVersion } from '../config.js';
import type { DataDir } from './data-dir.js';
import {
  claimRun,
  removeRunRecord,
  startTimeOf,
  writeRunRecord,
  type RunningProcess,
  type RunRecord,
} from './run-file.js';
import { removeScrapeTargets, writeScrapeTargets } from './scrape-targets.js';

/** What runs now. */
export interface RunFacts extends Pick<RunRecord, 'apiUrl' | 'sandboxUrl'> {
  /** By name, as they are told of; 0 between two lives. */
  readonly pids: readonly (readonly [name: string, pid: number])[];
  readonly healthPorts: Readonly<Record<string, number>>;
}

/** Keeps the files of a data directory by which others find who runs on it. */
export class RunRecorder {
  private readonly startedAt = new Date().toISOString();
  private readyAt: string | undefined;
  private recording = Promise.resolve();

  constructor(
    private readonly dir: DataDir,
    private readonly look: () => RunFacts,
    private readonly say: (line: string) => void,
  ) {}

  /** As `claimRun`. */
  async claim(): Promise<readonly RunningProcess[]> {
    return claimRun(this.dir, this.runRecord());
  }

  /** Records what runs now. One write after the other, so that the last one wins. Never throws. */
  async record(): Promise<void> {
    this.recording = this.recording
      .then(() => writeRunRecord(this.dir, this.runRecord()))
      .then(() => writeScrapeTargets(this.dir, this.runRecord()))
      .catch((error: unknown) => this.say(`Cannot write ${this.dir.runFile()}: ${String(error)}`));
    await this.recording;
  }

  /** Records that the start is over. */
  async recordReady(): Promise<void> {
    this.readyAt = new Date().toISOString();
    await this.record();
  }

  /** Nobody runs on the directory any more. Idempotent. */
  async remove(): Promise<void> {
    await this.recording;
    await removeScrapeTargets(this.dir);
    await removeRunRecord(this.dir);
  }

  private runRecord(): RunRecord {
    const { pids, healthPorts, ...urls } = this.look();
    const processes = pids.map(
      ([name, pid]) => [name, { ...identify(pid), ...healthUrlAt(healthPorts[name]) }] as const,
    );
    return {
      ...identify(process.pid),
      startedAt: this.startedAt,
      release: clientVersion(),
      ...(this.readyAt === undefined ? {} : { readyAt: this.readyAt }),
      ...urls,
      processes: Object.fromEntries(processes),
    };
  }
}

function healthUrlAt(port: number | undefined): Pick<RunningProcess, 'healthUrl'> {
  return port === undefined ? {} : { healthUrl: `http://127.0.0.1:${port}` };
}

function identify(pid: number): RunningProcess {
  const startTime = startTimeOf(pid);
  return { pid, ...(startTime === undefined ? {} : { startTime }) };
}
