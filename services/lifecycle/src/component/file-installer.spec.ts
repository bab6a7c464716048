import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FileInstaller } from './file-installer.js';

const FOUND = {
  version: '1.0.0',
  slots: [{ name: 'policy-mgmt', version: '1.0.0', isReady: true, restarts: 1, isExtra: true, lastWords: 'So' }],
  present: ['1.0.0'],
} as const;

let directory: string;
let installer: FileInstaller;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-components-'));
  installer = new FileInstaller(directory);
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

describe('FileInstaller', () => {
  it('reads what runs', async () => {
    await writeFile(join(directory, 'policy-mgmt.found.json'), JSON.stringify(FOUND));
    const [{ isExtra: isCanary, ...slot }] = FOUND.slots;
    expect(await installer.observe('policy-mgmt')).toEqual({
      ...FOUND,
      slots: [{ ...slot, isCanary }],
      isUnderWay: false,
    });
    await installer.ensure('policy-mgmt', { version: '1.0.0', next: { version: '1.1.0', stage: 'Canary' } });
    expect(await installer.observe('policy-mgmt')).toMatchObject({ isUnderWay: true, asked: '1.0.0' });
  });

  it.each([
    { name: 'not there', text: undefined },
    { name: 'damaged', text: '{"version":' },
    { name: 'of another form', text: '{"version":1}' },
  ])('knows nothing from a file that is $name', async ({ text }) => {
    if (text !== undefined) await writeFile(join(directory, 'policy-mgmt.found.json'), text);
    expect(await installer.observe('policy-mgmt')).toBeUndefined();
  });

  it('says what shall be in one piece, and once', async () => {
    const wanted = { version: '1.0.0', next: { version: '1.1.0', stage: 'Canary' } } as const;
    await installer.ensure('lifecycle', wanted);
    const file = join(directory, 'lifecycle.wanted.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(wanted);
    const { ino, mode } = await stat(file);
    await installer.ensure('lifecycle', wanted);
    expect([(await stat(file)).ino, mode & 0o777]).toEqual([ino, 0o600]);
    await installer.ensure('lifecycle', { version: '1.1.0' });
    expect([JSON.parse(await readFile(file, 'utf8')), await readdir(directory)]).toEqual([
      { version: '1.1.0' },
      ['lifecycle.wanted.json'],
    ]);
  });

  it('says so when it cannot', async () => {
    const nowhere = new FileInstaller(join(directory, 'none'));
    await expect(nowhere.ensure('lifecycle', { version: '1.1.0' })).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
