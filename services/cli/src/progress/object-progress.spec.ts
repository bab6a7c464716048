import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectProgress } from './object-progress.js';

function output(isTTY: boolean): { readonly stream: NodeJS.WriteStream; readonly text: () => string } {
  let written = '';
  const stream = new PassThrough() as unknown as NodeJS.WriteStream;
  stream.on('data', (chunk: Buffer) => (written += chunk.toString()));
  Object.assign(stream, { isTTY, columns: 120, cursorTo: () => true, moveCursor: () => true, clearLine: () => true });
  return { stream, text: () => written };
}

// Whatever the tests run in.
beforeAll(() => {
  process.env['TERM'] = 'xterm';
});

describe('progress of objects', () => {
  it('is a line for each change where nobody looks on', () => {
    const { stream, text } = output(false);
    let now = 0;
    const progress = new ObjectProgress(stream, () => now);
    progress.show('cluster/demo', { step: 1, steps: 4, message: 'Planning' });
    progress.show('cluster/demo', { step: 1, steps: 4, message: 'Planning' });
    now = 65_000;
    progress.show('cluster/demo', { step: 2, steps: 4, message: 'Applying' });
    progress.show('project/team-a', { step: 0, steps: 0, message: 'Ready' });
    progress.note('In the way: a volume');
    progress.close();
    expect(text()).toBe(
      '[0s] cluster/demo 1/4 Planning\n[1m05s] cluster/demo 2/4 Applying\n[1m05s] project/team-a Ready\nIn the way: a volume\n',
    );
  });

  it.each([false, true])('shows what a message would write over the terminal (terminal: %s)', (isTTY) => {
    const { stream, text } = output(isTTY);
    const progress = new ObjectProgress(stream, () => 0);
    progress.show('cluster/demo', { step: 1, steps: 4, message: 'a\u001b[2A\n[0s] cluster/other 4/4 Ready' });
    progress.close();
    expect(text()).toContain('a\\u001b[2A [0s] cluster/other 4/4 Ready');
  });

  it('is a bar for each object on a terminal', () => {
    const { stream, text } = output(true);
    const progress = new ObjectProgress(stream, () => 0);
    progress.show('cluster/demo', { step: 1, steps: 4, message: 'Planning' });
    progress.show('cluster/other', { step: 4, steps: 4, message: 'Ready' });
    progress.close();
    expect(text()).toMatch(/cluster\/demo [█░]+ 1\/4 \| 0s \| Planning/);
    expect(text()).toMatch(/cluster\/other █+ 4\/4/);
  });

  it('is a line for each change of those that a terminal has no room for', () => {
    const { stream, text } = output(true);
    Object.assign(stream, { rows: 4 });
    const progress = new ObjectProgress(stream, () => 0);
    const names = ['one', 'two', 'three', 'four'];
    for (const message of ['Planning', 'Planning', 'Applying'])
      for (const name of names) progress.show(name, { step: 1, steps: 4, message });
    progress.close();
    for (const name of ['one', 'two']) expect(text()).toMatch(new RegExp(`${name} [█░]+ 1/4 \\| 0s \\| Applying`));
    expect(text()).not.toMatch(/(three|four) +[█░]/);
    expect(text().match(/\[0s\] \w+ 1\/4 \w+/g)).toEqual([
      '[0s] three 1/4 Planning',
      '[0s] four 1/4 Planning',
      '[0s] three 1/4 Applying',
      '[0s] four 1/4 Applying',
    ]);
  });

  it('loses no line that comes last', () => {
    const { stream, text } = output(true);
    const progress = new ObjectProgress(stream, () => 0);
    progress.show('cluster/demo', { step: 1, steps: 4, message: 'Planning' });
    progress.note('In the way: a volume');
    progress.close();
    expect(text()).toContain('In the way: a volume');
  });

  it('begins bars one below the other, once the names are known', () => {
    const { stream, text } = output(true);
    const progress = new ObjectProgress(stream, () => 0);
    progress.show('lifecycle', { step: 1, steps: 3, message: 'Waits' });
    progress.show('policy-mgmt', { step: 1, steps: 3, message: 'Waits' });
    progress.show('lifecycle', { step: 2, steps: 3, message: 'Rolling' });
    progress.close();
    expect(text()).toMatch(/ lifecycle {3}[█░]+ 2\/3/);
  });
});

describe('a terminal', () => {
  it('gets its cursor back when the process ends in the middle, and once', () => {
    const { stream } = output(true);
    let shown = 0;
    const before = process.listenerCount('exit');
    const progress = new ObjectProgress(stream, () => 0);
    expect(process.listenerCount('exit')).toBe(before + 1);
    progress.show('cluster/demo', { step: 1, steps: 4, message: 'Planning' });
    stream.on('data', (chunk: Buffer) => (shown += chunk.toString().split('\u001b[?25h').length - 1));
    for (const listener of process.listeners('exit').slice(before)) (listener as () => void)();
    expect(shown).toBe(1);
    progress.close();
    expect(process.listenerCount('exit')).toBe(before);
  });
});
