import { describe, expect, it } from '@jest/globals';
import { obtain, type Source } from './prerequisite.js';

const missing = (name: string): Source => ({ name, find: () => Promise.resolve(undefined) });
const failing = (name: string, why: string): Source => ({ name, find: () => Promise.reject(new Error(why)) });
const found = (path: string): Source => ({ name: path, find: () => Promise.resolve(path) });

describe('obtain', () => {
  it('asks sources in their order and stops at the first that has it', async () => {
    const said: string[] = [];
    const sources = [missing('PATH'), failing('Docker', 'no engine'), found('/bin/tool'), found('/never')];

    const path = await obtain({ program: 'tool', sources, remedy: '' }, { say: (line) => said.push(line) });

    expect(path).toBe('/bin/tool');
    expect(said).toEqual(['tool not found by PATH: not there', 'tool not found by Docker: no engine']);
  });

  it('says nothing when the first source has it', async () => {
    const said: string[] = [];
    await obtain({ program: 'tool', sources: [found('/bin/tool')], remedy: '' }, { say: (line) => said.push(line) });
    expect(said).toEqual([]);
  });

  it('names every source, why it failed, and what to do', async () => {
    const sources = [missing('PATH'), failing('its release', 'cannot reach example.org')];
    const given = obtain({ program: 'tool', sources, remedy: 'Install it and start again' }, { say: () => undefined });

    await expect(given).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'tool is missing (PATH: not there; its release: cannot reach example.org). Install it and start again',
      details: { reason: 'PrerequisiteMissing' },
    });
  });

  it('asks no further source once it is to give up', async () => {
    const giveUp = new AbortController();
    const failing = (): Promise<never> => {
      giveUp.abort(new Error('Ctrl-C'));
      return Promise.reject(new Error('killed'));
    };
    const sources = [{ name: 'Docker', find: failing }, found('/never')];
    const given = obtain({ program: 'tool', sources, remedy: '' }, { say: () => undefined, signal: giveUp.signal });
    await expect(given).rejects.toThrow('Ctrl-C');
  });
});
