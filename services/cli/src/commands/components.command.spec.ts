import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PlatformError, toStatus } from '@crate/errors';
import { parse } from 'yaml';
import { aComponent } from '../testing/a-component.js';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { outputOf } from '../testing/output-of.js';
import { componentsCommand } from './components.command.js';

const PATH = '/apis/lifecycle.crate.dev/v1alpha1/components';
const ITEMS = [
  aComponent('lifecycle'),
  aComponent('policy-mgmt', { spec: { version: '0.2.0' }, status: { availableVersions: [{ version: '0.2.0' }] } }),
];
const LIST = { metadata: { resourceVersion: '7' }, items: ITEMS };

let api: FakeApi;
let asked: string[];
let answer: (path: string) => FakeAnswer;
beforeEach(async () => {
  asked = [];
  answer = () => ({ body: LIST });
  api = await FakeApi.start((method, path) => {
    asked.push(`${method} ${path}`);
    return answer(path);
  });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await api.stop();
});

describe('crate components', () => {
  it('shows what runs, what is wanted and what there is, in the order of upgrades', async () => {
    const { stdout } = await outputOf(componentsCommand(), ['--data-dir', api.dataDir]);
    const [header, ...rows] = stdout.trim().split('\n');
    expect(header?.split(/ +/)).toEqual(['NAME', 'RUNS', 'WANTED', 'AVAILABLE', 'PHASE', 'READY', 'AGE']);
    expect(rows.map((row) => row.split(/ +/).slice(0, 6))).toEqual([
      ['policy-mgmt', '0.1.0', '0.2.0', '0.2.0', 'UpToDate', '1/1'],
      ['lifecycle', '0.1.0', '<none>', '<none>', 'UpToDate', '1/1'],
    ]);
    expect(asked).toEqual([`GET ${PATH}`]);
  });

  it('shows more to who asks for more, and all of it as data', async () => {
    const wide = await outputOf(componentsCommand(), ['-o', 'wide', '--data-dir', api.dataDir]);
    expect(wide.stdout).toMatch(/AGE +CHANNEL +WINDOW +WHY\n/);
    for (const format of ['json', 'yaml']) {
      const { stdout } = await outputOf(componentsCommand(), ['-o', format, '--data-dir', api.dataDir]);
      expect(parse(stdout)).toMatchObject({ kind: 'List', items: [{ kind: 'Component' }, { kind: 'Component' }] });
    }
  });

  it('shows each change, and nothing twice', async () => {
    const { rollout } = {
      rollout: { from: '0.1.0', to: '0.2.0', step: 'Canary', startedAt: '', since: '', generation: 1 },
    };
    const same = {
      ...ITEMS[0],
      metadata: { name: 'lifecycle', resourceVersion: '8', creationTimestamp: '2026-11-20T12:00:00Z' },
    };
    const lines = [same, aComponent('policy-mgmt', { status: { rollout } })].map(
      (object) => `${JSON.stringify({ type: 'MODIFIED', object })}\n`,
    );
    // The log has been cut, and then looking is not allowed any more.
    const gone = `${JSON.stringify({ type: 'ERROR', object: toStatus(new PlatformError('Gone', 'too old')) })}\n`;
    answer = (path) => {
      if (path.includes('watch=true')) return { body: Buffer.from([...lines, gone].join('')) };
      return asked.length === 1
        ? { body: LIST }
        : { status: 401, body: toStatus(new PlatformError('Unauthenticated', 'Unauthorized')) };
    };
    const printed: string[] = [];
    jest.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
    const args = ['-w', '--data-dir', api.dataDir];
    await expect(componentsCommand().parseAsync(args, { from: 'user' })).rejects.toMatchObject({
      code: 'Unauthenticated',
    });
    expect(printed.map((line) => line.split(/ +/)[0])).toEqual(['NAME', 'policy-mgmt', 'lifecycle', 'policy-mgmt']);
    expect(printed.at(-1)).toContain('Canary');
  });
});
