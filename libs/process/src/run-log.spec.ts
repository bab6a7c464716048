import { describe, expect, it } from '@jest/globals';
import { RunLog } from './run-log.js';

describe('RunLog', () => {
  it('keeps the end when there is too much, in whole lines', () => {
    const log = new RunLog(10);
    for (const line of ['one', 'two', 'three']) log.append(line);

    expect(log.text()).toBe('two\nthree\n');
  });

  it('keeps the last line however long it is', () => {
    const log = new RunLog(3);
    log.append('a long line');

    expect(log.text()).toBe('a long line\n');
  });

  it('gives its text as news only when there is more than the last time', () => {
    const log = new RunLog(100);
    expect(log.takeNews()).toBeUndefined();
    log.append('one');
    expect(log.takeNews()).toBe('one\n');
    expect(log.takeNews()).toBeUndefined();
    log.append('two');
    expect(log.takeNews()).toBe('one\ntwo\n');
  });
});
