import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';
import { root } from './run.mjs';

/**
 * Draws the order of stories by the commit. Where a run may take only so long (CRATE_TEST_MINUTES), Jest's own order would leave out the
 * same ones each time: it begins with what took longest last time, and what was left out took nothing.
 */
export default class StorySequencer extends Sequencer {
  sort(tests) {
    const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
    const lot = ({ path }) =>
      createHash('sha256')
        .update(`${stdout} ${relative(root, path)}`)
        .digest('hex');
    return tests
      .map((test) => [lot(test), test])
      .sort(byLot)
      .map(([, test]) => test);
  }
}

function byLot([one], [other]) {
  return one < other ? -1 : 1;
}
