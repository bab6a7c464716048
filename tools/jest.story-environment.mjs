import { TestEnvironment } from 'jest-environment-node';

/**
 * Skips a whole file that begins after CRATE_TEST_UNTIL (milliseconds since 1970), hooks included, so that no platform is started any
 * more: what was seen until then still counts where a machine is slow and a run may take only so long.
 */
export default class StoryEnvironment extends TestEnvironment {
  handleTestEvent(event, { rootDescribeBlock }) {
    if (event.name === 'run_start' && Date.now() > Number(process.env.CRATE_TEST_UNTIL ?? Infinity)) {
      skip(rootDescribeBlock);
    }
  }
}

/** A block, or a test: they have no `children`. */
function skip(entry) {
  entry.mode = 'skip';
  for (const child of entry.children ?? []) skip(child);
}
