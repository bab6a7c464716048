import { describe, expect, it } from '@jest/globals';
import { matchesOf, parseLogLine, runsOf } from './log-line.js';

const LOG = [
  '2026-11-22T15:21:31.083000Z [terraform] === terraform apply, run a028b824-f106, generation 1',
  '2026-11-22T15:21:31.509000Z [terraform] Terraform 1.11.4',
  '2026-11-22T15:21:32.000000Z [rke] === rke up, run e1322c64-d435',
  '2026-11-22T15:21:47.383000Z [terraform] === run succeeded',
  '2026-11-22T15:21:50.000000Z [rke] === run failed: no such host',
  '2026-11-22T15:22:00.000000Z [rke] === rke up, run ffffffff-d435',
].map(parseLogLine);

describe('lines of a log', () => {
  it('have a time, a program and a text', () => {
    expect(LOG[1]).toEqual({ time: '2026-11-22T15:21:31.509000Z', source: 'terraform', text: 'Terraform 1.11.4' });
  });

  it('are kept whole when they are of another shape', () => {
    expect(parseLogLine('[12 lines of this run are not kept]').text).toBe('[12 lines of this run are not kept]');
  });

  it('tell runs apart that go on at the same time', () => {
    expect(runsOf(LOG).map(({ title, outcome, index }) => [title, outcome, index])).toEqual([
      ['terraform apply', 'succeeded', 0],
      ['rke up', 'failed', 2],
      ['rke up', 'running', 5],
    ]);
  });

  it('are found whatever the case', () => {
    expect(matchesOf(LOG, 'TERRAFORM')).toEqual([0, 1]);
    expect(matchesOf(LOG, '')).toEqual([]);
  });
});
