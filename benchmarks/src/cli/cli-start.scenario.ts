import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, rounded, type Figure, type Report, type ScenarioOptions } from '../scenario.js';

const MAIN = fileURLToPath(new URL('../../../services/cli/dist/main.js', import.meta.url));
const [ROUNDS, QUICK_ROUNDS] = [15, 2];
/** How many times the processor time of `node -e 0` a command may take before it does anything. */
const MOST = 12;

/** What people and shells run all day, and where nothing is: all that is left is the start. */
const commandsOn = (nothing: string): Readonly<Record<string, readonly string[]>> => ({
  help: ['--help'],
  complete: ['__complete', '--', 'st'],
  get: ['get', 'clusters', '--kubeconfig', nothing],
  status: ['status', '--data-dir', nothing],
  credential: ['credential', 'nobody'],
});

/** The start of the command line, beside that of Node alone. */
export async function measureStarts(say: (line: string) => void, { quick = false }: ScenarioOptions): Promise<Report> {
  const home = await mkdtemp(join(tmpdir(), 'crate-bench-start-'));
  try {
    const seconds = await startsOf(home, quick ? QUICK_ROUNDS : ROUNDS);
    const bare = median(seconds['node'] ?? []);
    const figures = mapped(commandsOn(home), (_, name) => figureOf(seconds[name] ?? [], bare));
    say(`node -e 0 takes ${rounded(bare * 1000)} ms of processor`);
    const pass = Object.values(figures).every(({ value }) => value <= MOST);
    return { scenario: 'cli-start', figures: { ...figures, node: { value: rounded(bare * 1000), unit: 'ms' } }, pass };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function figureOf(seconds: readonly number[], bare: number): Figure {
  return { value: rounded(median(seconds) / bare), unit: 'times node', target: MOST, baseline: 1 };
}

/** By turns, so that what else the machine does falls on all alike. */
async function startsOf(home: string, rounds: number): Promise<Readonly<Record<string, readonly number[]>>> {
  const all = { node: ['-e', '0'], ...mapped(commandsOn(join(home, 'none')), (args) => [MAIN, ...args]) };
  const seconds: Record<string, number[]> = mapped(all, () => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, args] of Object.entries(all)) {
      const taken = await processorSeconds(args, home);
      // The first round reads everything from the disk.
      if (round > 0) seconds[name]?.push(taken);
    }
  }
  return seconds;
}

function mapped<A, B>(record: Readonly<Record<string, A>>, change: (value: A, name: string) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}

/** Runs in the measured process, and tells microseconds on descriptor 3. */
const REPORT = `
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  require('node:fs').writeSync(3, String(user + system));
});
`;

/** User and system time of one process, from beginning to end. */
async function processorSeconds(args: readonly string[], home: string): Promise<number> {
  const file = join(home, 'report.cjs');
  await writeFile(file, REPORT);
  const child = spawn(process.execPath, ['--require', file, ...args], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stdio[3]?.on('data', (chunk: Buffer) => (told += chunk.toString()));
  await once(child, 'close');
  return Number(told) / 1_000_000;
}
