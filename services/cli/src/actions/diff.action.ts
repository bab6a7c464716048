import { EXIT_CODES } from '../exit-codes.js';
import { previewOf } from '../objects/apply.js';
import { objectDiff } from '../objects/object-diff.js';
import { Failures } from '../output/failures.js';
import { manifestsOf, type FileOptions } from './apply.action.js';

interface DiffOptions extends FileOptions {
  readonly forceConflicts?: true;
}

export async function diff(options: DiffOptions): Promise<void> {
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
