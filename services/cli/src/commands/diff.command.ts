import { Command } from 'commander';
import { EXIT_CODES } from '../exit-codes.js';
import { previewOf } from '../objects/apply.js';
import { objectDiff } from '../objects/object-diff.js';
import { Failures } from '../output/failures.js';
import { withApiOptions, withNamespaceOption } from './api-options.js';
import { manifestsOf, withFileOption, type FileOptions } from './apply.command.js';

interface DiffOptions extends FileOptions {
  readonly forceConflicts?: true;
}

/** `crate diff`: what `crate apply` would change, as the platform itself works it out. */
export function diffCommand(): Command {
  const command = new Command('diff').description(
    'Show what applying files would change, and change nothing; exit code 8 when something would',
  );
  return withApiOptions(withFileOption(withNamespaceOption(command)))
    .option('--force-conflicts', 'as if fields that somebody else has set were taken over')
    .action(diff);
}

async function diff(options: DiffOptions): Promise<void> {
  const { api, manifests } = await manifestsOf(options);
  const failures = new Failures();
  for (const manifest of manifests) {
    const what = `${manifest.kind.singular}/${manifest.name} (${manifest.source})`;
    const preview = await failures.attempt(what, async () =>
      previewOf(api, manifest, { force: options.forceConflicts === true }),
    );
    const text = preview && objectDiff(preview.before, preview.after);
    if (!text) continue;
    process.stdout.write(text);
    process.exitCode = EXIT_CODES.differs;
  }
  failures.settle();
}
