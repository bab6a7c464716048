import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { MoveState } from '@crate/pivot';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clientVersion } from '../config.js';
import type { PivotSide } from '../pivot/pivot-side.js';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import type { DataDir } from '../up/data-dir.js';
import { findText } from '../up/secret-file.js';
import { writeRunRecord, type RunRecord } from '../up/run-file.js';
import { Singleton } from './singleton.js';

const [, program] = process.argv;
let dir: DataDir;
let running: ChildProcess;
beforeEach(async () => {
  dir = await temporaryDataDir();
  running = spawn('sleep', ['600']);
  // Stands for "crate": says that it was called.
  const played = join(dir.root, 'crate.cjs');
  await writeFile(played, `require('node:fs').writeFileSync(${JSON.stringify(join(dir.root, 'started'))}, '')`);
  process.argv[1] = played;
});
afterEach(async () => {
  process.argv[1] = program ?? '';
  running.kill('SIGKILL');
  await removeDataDir(dir);
});

const STARTING = { startedAt: '', apiUrl: '', sandboxUrl: '', processes: {} };

async function record(more: Partial<RunRecord>): Promise<void> {
  await writeRunRecord(dir, { ...STARTING, pid: running.pid ?? 0, ...more });
}

function singletonWith(side: Partial<Pick<PivotSide, 'findState' | 'end'>>, startTimeoutMs?: number): Singleton {
  const limit = startTimeoutMs === undefined ? {} : { startTimeoutMs };
  return Object.assign(new Singleton({ dir, name: 'the temporary platform', upArguments: [], ...limit }), { side });
}

/** Looks after one that runs, and gives whether it began a new one in its place. */
async function isReplaced(release: string | undefined, state: MoveState): Promise<boolean> {
  await record({ readyAt: '', ...(release === undefined ? {} : { release }) });
  const end = async (): Promise<void> => {
    running.kill();
    await once(running, 'exit');
  };
  await singletonWith({ findState: () => Promise.resolve(state), end }).ensure();
  const hasEnded = running.exitCode !== null || running.signalCode !== null;
  expect(hasEnded).toBe((await findText(join(dir.root, 'started'))) !== undefined);
  return hasEnded;
}

describe('Singleton', () => {
  it('goes on with the one that runs', async () => {
    expect(await isReplaced(clientVersion(), 'serving')).toBe(false);
  });

  it.each(['v0.0.1', undefined])('puts one of this release in the place of one of another (%s)', async (release) => {
    expect(await isReplaced(release, 'serving')).toBe(true);
  });

  it.each(['receiving', 'draining', 'frozen', 'moved'] as const)(
    'leaves one of another that a move has %s',
    async (state) => {
      expect(await isReplaced('v0.0.1', state)).toBe(false);
    },
  );

  it('says why it does not start in the words of the program, whatever was warned of before', async () => {
    const lines = ['(node:1) Warning: Old', 'crate: Port 1 is taken', 'Use another one', ''];
    const program = `process.stderr.write(${JSON.stringify(lines.join('\n'))}); process.exitCode = 1;`;
    await writeFile(process.argv[1] ?? '', program);
    await expect(singletonWith({ findState: () => Promise.resolve(undefined) }).ensure()).rejects.toMatchObject({
      message: 'SingletonFailed: Port 1 is taken\nUse another one',
      details: { remedy: expect.stringContaining(dir.logs()) },
    });
  });

  it('waits for one that somebody else starts for as long as its programs are on their way', async () => {
    await record({ release: clientVersion() });
    let looks = 0;
    const findState = async (): Promise<MoveState> => {
      looks += 1;
      // By then its time would have been over.
      if (looks === 4) await record({ release: clientVersion(), readyAt: '' });
      return 'serving';
    };
    await singletonWith({ findState }, 1).ensure();
    expect(looks).toBeGreaterThanOrEqual(4);
  });

  it('does not go on with one that somebody else starts and that does not come up', async () => {
    await record({ release: clientVersion(), apiUrl: 'https://127.0.0.1' });
    const ensured = singletonWith({ findState: () => Promise.resolve('serving') }, 1).ensure();
    const message = 'SingletonFailed: The singleton is not ready after 0.001 s';
    await expect(ensured).rejects.toMatchObject({
      code: 'Unavailable',
      message,
      details: { reason: 'SingletonFailed' },
    });
  });
});
