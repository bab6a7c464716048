import { beforeAll, describe, expect, it } from '@jest/globals';
import { Writable } from 'node:stream';
import type { ClusterStatus } from '@crate/api';
import { aCluster, aPhase } from '../testing/a-cluster.js';
import { createProgressView, formatElapsed } from './progress-view.js';

/** A terminal, or a file, that remembers what was written. */
class FakeOutput extends Writable {
  text = '';
  readonly rows = 50;

  constructor(
    readonly isTTY: boolean,
    readonly columns = 200,
  ) {
    super();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }

  /** Each line as last drawn, without colours and cursor movements. */
  get screen(): readonly string[] {
    const frames = this.text.split(/\u001b\[\d*A|\u001b\[0J/);
    const plain = frames.map((frame) => frame.replace(/\u001b\[[0-9;?]*[A-Za-z]|\u001b[78]|\r/g, ''));
    const last = plain.filter((frame) => frame.trim() !== '').at(-1) ?? '';
    return last.split('\n').filter((line) => line.trim() !== '');
  }
}

const failure = {
  code: 'QuotaExceeded',
  message: 'Only 2 of 5 instances may be created',
  remedy: 'Ask for a higher quota',
  retryable: true,
};

/** The journey of a cluster as its status tells it, with the seconds that passed. */
const JOURNEY: readonly (readonly [number, ClusterStatus | undefined])[] = [
  [0, undefined],
  [1, { phases: [aPhase('Policy', 'Running', '0/1 Under way'), aPhase('Infrastructure', 'Pending')] }],
  [2, { phases: [aPhase('Policy', 'Done', '1/1 Done'), aPhase('Infrastructure', 'Running', '3/24 aws_vpc.main')] }],
  [3, { phases: [aPhase('Policy', 'Done', '1/1 Done'), aPhase('Infrastructure', 'Running', '3/24 aws_vpc.main')] }],
  [65, { phases: [aPhase('Policy', 'Done', '1/1 Done'), aPhase('Infrastructure', 'Failed', '9/24')], failure }],
  [70, { phases: [aPhase('Policy', 'Done', '1/1 Done'), aPhase('Infrastructure', 'Running', '24/24 Outputs')] }],
  [71, { phases: [aPhase('Policy', 'Done', '1/1 Done'), aPhase('Infrastructure', 'Done', '1/1 Done')] }],
];

function play(output: FakeOutput, until = Infinity): void {
  let now = 0;
  const view = createProgressView(output as unknown as NodeJS.WriteStream, () => now);
  for (const [second, status] of JOURNEY.filter(([at]) => at <= until)) {
    now = second * 1_000;
    view.update(aCluster(status));
  }
  view.close();
}

// Whatever the tests run in.
beforeAll(() => {
  process.env['TERM'] = 'xterm';
});

describe('a view on what is no terminal', () => {
  it('writes one line whenever something changed', () => {
    const output = new FakeOutput(false);
    play(output);
    expect(output.text.split('\n')).toEqual([
      '[0s] Waiting to start',
      '[1s] Policy 0/1 Under way',
      '[2s] Infrastructure 3/24 aws_vpc.main',
      '[1m05s] Infrastructure 9/24 QuotaExceeded: Only 2 of 5 instances may be created. Ask for a higher quota',
      '[1m10s] Infrastructure 24/24 Outputs',
      '[1m11s] All phases done',
      '',
    ]);
  });
});

describe.each([false, true])('a view on the platform (terminal: %s)', (isTTY) => {
  it('shows what a message would write over the terminal', () => {
    const output = new FakeOutput(isTTY);
    const view = createProgressView(output as unknown as NodeJS.WriteStream);
    const message = 'a\u001b[2A\nAll phases done';
    view.update(aCluster({ phases: [{ ...aPhase('Infrastructure', 'Running', '3/24'), message }] }));
    view.close();
    expect(output.text).toContain('a\\u001b[2A All phases done');
  });
});

describe('a view on a terminal', () => {
  it('draws a bar per phase with the resource at hand and the time', () => {
    const output = new FakeOutput(true);
    play(output, 3);
    const [policy, infrastructure] = output.screen;
    expect(output.screen).toHaveLength(2);
    expect(policy).toMatch(/✔ Policy +█{24} 100% \| 2s \| Done/);
    expect(infrastructure).toMatch(/▶ Infrastructure +█{3}░{21} +12% \| 3s \| aws_vpc\.main/);
  });

  it.each([
    { columns: 100, want: /▶ Infrastructure +█{3}░{21} +12% \| 3s \| aws_vpc\.main$/ },
    { columns: 60, want: /▶ Infrastructure █{2}░{10} +12% \| 3s \| aws_vpc\.main$/ },
    { columns: 40, want: /▶ Infrastructure +12% \| aws_vpc\.main$/ },
    { columns: 35, want: /▶ Infrastructure +12% \| aws_vpc\.…$/ },
  ])('leaves out in $columns columns what there is no room for', ({ columns, want }) => {
    const output = new FakeOutput(true, columns);
    play(output, 3);
    expect(output.screen[1]).toMatch(want);
    for (const line of output.screen) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it('says why a phase failed, and what to do', () => {
    const output = new FakeOutput(true);
    play(output, 65);
    expect(output.screen[1]).toMatch(/✖ Infrastructure .*QuotaExceeded: Only 2 of 5 .*Ask for a higher quota/);
  });

  it('marks a phase as done that was complete before it was', () => {
    const output = new FakeOutput(true);
    play(output);
    expect(output.screen[1]).toMatch(/✔ Infrastructure +█{24} 100% \| 1m11s \| Done/);
  });

  it('gives the cursor back', () => {
    const output = new FakeOutput(true);
    play(output);
    expect(output.text.lastIndexOf('\u001b[?25h')).toBeGreaterThan(output.text.lastIndexOf('\u001b[?25l'));
  });
});

describe('formatElapsed', () => {
  it.each([
    [0, '0s'],
    [59_999, '59s'],
    [60_000, '1m00s'],
    [3_725_000, '62m05s'],
  ])('shows %d ms as %s', (milliseconds, want) => {
    expect(formatElapsed(milliseconds)).toBe(want);
  });
});
