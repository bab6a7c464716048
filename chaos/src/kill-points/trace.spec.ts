import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChaosPlatform } from '../platform/chaos-platform.js';
import { addressOf, pointsOf } from './kill-point.js';
import { Trace } from './trace.js';

let directory: string;
const faults = new Map<string, { type?: string; action?: string; skip: number }>();

/** A call of the cloud goes by the holds that count it. */
function call(action: string, type: string): void {
  for (const fault of faults.values()) if (fault.action === action && fault.type === type) fault.skip -= 1;
}

async function putInCloud(...objects: readonly (readonly [type: string, id: string])[]): Promise<void> {
  const lines = objects.map(
    ([type, id]) => `${JSON.stringify({ key: `object/${type}/${id}`, value: { type, id } })}\n`,
  );
  await writeFile(join(directory, 'sandbox', 'cloud', 'journal.ndjson'), lines.join(''));
}

beforeEach(async () => {
  faults.clear();
  directory = await mkdtemp(join(tmpdir(), 'chaos-trace-'));
  await mkdir(join(directory, 'sandbox', 'cloud'), { recursive: true });
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

function aPlatform(): ChaosPlatform {
  const sandbox = {
    putFault: async (name: string, fault: object) => void faults.set(name, { ...(fault as { skip: number }) }),
    removeFault: async (name: string) => void faults.delete(name),
    faults: async () => [...faults].map(([name, fault]) => ({ name, ...fault })),
  };
  return { directory, proxy: { hooks: {} }, sandbox } as unknown as ChaosPlatform;
}

describe('the trace of an operation', () => {
  it('has what was created, removed and updated in the cloud, and stages of rke', async () => {
    await putInCloud(['aws_instance', 'i-1'], ['aws_instance', 'i-2'], ['aws_lb', 'lb-1']);
    const trace = new Trace(aPlatform());
    await trace.begin();
    call('update', 'aws_instance');
    call('update', 'aws_instance');
    call('read', 'aws_lb');
    call('up', 'rke');
    await putInCloud(['aws_instance', 'i-2'], ['aws_instance', 'i-3'], ['aws_lb', 'lb-1']);

    expect(await trace.end()).toEqual([
      { at: 'cloud', action: 'create', type: 'aws_instance', nth: 1 },
      { at: 'cloud', action: 'delete', type: 'aws_instance', nth: 1 },
      { at: 'cloud', action: 'up', type: 'rke', nth: 1 },
      { at: 'cloud', action: 'update', type: 'aws_instance', nth: 1 },
      { at: 'cloud', action: 'update', type: 'aws_instance', nth: 2 },
    ]);
    expect(faults.size).toBe(0);
  });

  it('makes points of updates at which everybody may die, in every phase', () => {
    const addresses = pointsOf('resize', [{ at: 'cloud', action: 'update', type: 'aws_instance', nth: 1 }]).map(
      addressOf,
    );
    expect(addresses).toHaveLength(9);
    expect(addresses).toContain('resize/cloud:update:aws_instance#1/during/terraform');
  });
});
