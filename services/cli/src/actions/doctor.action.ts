import { hasCode } from '@crate/errors';
import { readCliEnvironment, readProxies } from '../config.js';
import { runCheck, skip, type Check, type Checked, type Level } from '../doctor/check.js';
import { localChecks } from '../doctor/local-checks.js';
import { machineChecks } from '../doctor/machine-checks.js';
import { platformChecks } from '../doctor/platform-checks.js';
import { EXIT_CODES } from '../exit-codes.js';
import { dataText } from '../output/print.js';
import { styled } from '../output/style.js';
import { oneLine } from '../output/visible.js';
import { DataDir } from '../up/data-dir.js';
import { findRunning, type RunRecord } from '../up/run-file.js';
import { contextOf } from '../client/context.js';
import type { ApiOptions } from '../commands/api-options.js';

interface DoctorOptions extends ApiOptions {
  readonly output: 'table' | 'json' | 'yaml';
}

const COLOURS: Readonly<Record<Level, Parameters<typeof styled>[0]>> = {
  ok: 'green',
  warn: 'yellow',
  fail: 'red',
  skip: 'gray',
};
const LEVEL_WIDTH = 6;
const NAME_WIDTH = 24;

export async function runDoctor(options: DoctorOptions): Promise<void> {
  const checked: Checked[] = [];
  let area = '';
  for (const check of await checksOf(options)) {
    const result = await runCheck(check);
    checked.push(result);
    if (options.output !== 'table') continue;
    if (result.area !== area) console.log(`${area === '' ? '' : '\n'}${styled('bold', result.area)}`);
    area = result.area;
    for (const line of linesOf(result)) console.log(line);
  }
  const isWell = checked.every(({ level }) => level !== 'fail');
  if (options.output === 'table') console.log(`\n${summary(checked)}`);
  else process.stdout.write(dataText(options.output, { ok: isWell, checks: checked }));
  if (!isWell) process.exitCode = EXIT_CODES.failed;
}

async function checksOf(options: DoctorOptions): Promise<readonly Check[]> {
  const { searchPath, dataDir } = readCliEnvironment();
  const dir = new DataDir(options.dataDir ?? dataDir);
  const { running, checks } = await localOf(dir);
  const facts = { searchPath, dataDir: dir.root, isRunning: running !== undefined, proxies: readProxies() };
  return [...machineChecks(facts), ...checks, ...(await checksOfPlatform(options, dir, running))];
}

/** What runs here, as its record says: that may be somebody else's. */
async function localOf(dir: DataDir): Promise<{ readonly running?: RunRecord; readonly checks: readonly Check[] }> {
  try {
    const running = await findRunning(dir);
    return running ? { running, checks: localChecks(running) } : { checks: [] };
  } catch (error) {
    return { checks: [{ area: 'local platform', name: 'record', look: () => failed(error) }] };
  }
}

/** Of the one that is chosen; where nobody chose, of the one that runs here. */
async function checksOfPlatform(
  options: DoctorOptions,
  dir: DataDir,
  running: RunRecord | undefined,
): Promise<readonly Check[]> {
  try {
    return platformChecks(await contextOf(options));
  } catch (error) {
    if (!hasCode(error, 'BadRequest') || isChosen(options))
      return [{ area: 'platform', name: 'context', look: () => failed(error) }];
    if (running) return platformChecks(await contextOf({ dataDir: dir.root }));
    const message = 'None is chosen: crate login --server URL, or start one here with crate up';
    return [{ area: 'platform', name: 'context', look: () => skip(message) }];
  }
}

function failed(error: unknown): never {
  throw error;
}

function isChosen({ kubeconfig, context, dataDir }: DoctorOptions): boolean {
  return kubeconfig !== undefined || context !== undefined || dataDir !== undefined;
}

function linesOf({ name, level, message, remedy }: Checked): readonly string[] {
  const head = `  ${styled(COLOURS[level], level.padEnd(LEVEL_WIDTH))}${name.padEnd(NAME_WIDTH)}${oneLine(message)}`;
  return remedy === undefined ? [head] : [head, `${' '.repeat(LEVEL_WIDTH + NAME_WIDTH + 2)}→ ${oneLine(remedy)}`];
}

function summary(checked: readonly Checked[]): string {
  const counts = (['ok', 'warn', 'fail', 'skip'] as const).map((level) => {
    const count = checked.filter((each) => each.level === level).length;
    return count === 0 ? undefined : `${count} ${level}`;
  });
  return counts.filter((each) => each !== undefined).join(', ');
}
