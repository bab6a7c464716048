import { Command, Option } from 'commander';
import { withApiOptions, withNamespaceOption } from './api-options.js';
import { collect, durationOption } from './common-options.js';
import { lazily } from './lazily.js';

const TIMEOUT = '1h';
export const CASCADES = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;

/** `crate delete`: objects of any kind, until they are gone. */
export function deleteCommand(): Command {
  return withApiOptions(
    withNamespaceOption(
      new Command('delete').description('Delete objects, and say what is in the way until they are gone'),
    ),
  )
    .argument('[what...]', 'TYPE NAME…, TYPE/NAME…, or TYPE with -l or --all')
    .option('-f, --filename <file>', 'what files name; may be repeated', collect, [])
    .option('-l, --selector <labels>', 'all with these labels')
    .option('--all', 'all of the kind, in the Project')
    .option('--ignore-not-found', 'what is not there, or that nothing matches, is fine')
    .addOption(
      new Option('--cascade <how>', 'what becomes of what belongs to them')
        .choices(Object.keys(CASCADES))
        .default('background'),
    )
    .addOption(
      new Option('--dry-run [where]', 'ask whether they could be, and delete nothing')
        .choices(['server'])
        .preset('server'),
    )
    .option('--no-wait', 'return at once, and leave the rest to the platform')
    .addOption(durationOption('--timeout <duration>', 'how long to wait until they are gone', TIMEOUT))
    .action(lazily(async () => (await import('../actions/delete.action.js')).runDelete));
}
