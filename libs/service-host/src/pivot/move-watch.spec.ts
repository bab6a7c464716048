import { setTimeout as delay } from 'node:timers/promises';
import type { SqlRunner } from '@crate/database';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { expect, it } from '@jest/globals';
import { MoveWatch } from './move-watch.js';

it('a process is told once to end, however many looks wait for one that takes long', async () => {
  const rows: object[] = [];
  const firstRow = async (): Promise<object | undefined> => {
    await delay(20);
    return rows[0];
  };
  const ends: string[] = [];
  const database = { firstRow } as unknown as SqlRunner;
  const watch = new MoveWatch({ database, everyMs: 1, logger: new InMemoryLogger(), onReplaced: () => ends.push('') });
  await watch.start(new AbortController().signal);
  await delay(50);
  rows.push({ id: 'move', side: 'target', step: 'prepared', address: null });
  await eventually(() => ends.length > 0);
  await watch.stop();
  expect(ends).toHaveLength(1);
});
