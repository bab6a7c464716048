import { describe, expect, it } from '@jest/globals';
import { RunLog } from './run-log.js';

describe('RunLog', () => {
  it('gives its text only when there is more than the last time', () => {
    const log = new RunLog();
    expect(log.takeNews()).toBeUndefined();
    log.append('one');
    expect(log.takeNews()).toBe('one\n');
    expect(log.takeNews()).toBeUndefined();
    log.append('two');
    expect(log.takeNews()).toBe('one\ntwo\n');
  });

  it('keeps the end when there is too much, in whole lines', () => {
    const log = new RunLog(10);
    for (const line of ['aaaa', 'bbbb', 'cccc']) log.append(line);

    expect(log.takeNews()).toBe('bbbb\ncccc\n');
  });
});
