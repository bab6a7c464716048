import type { Transaction } from '@crate/database';
import { migrationsOf, movedTables, quoted } from './catalog.js';
import { moveRefused, type Installation } from './installation.js';

/** Kinds that people's work hangs on: a target that has any is in use. */
const IN_USE = ['Cluster', 'Infrastructure', 'KubernetesCluster', 'CloudAccount'];

/**
 * Throws Conflict unless everything of the source finds its place in the target: the same services and release (`ReleaseDiffers`), and nothing of people's own
 * that would be lost (`TargetInUse`). Looks only.
 */
export async function checkSuitable(source: Installation, target: Installation): Promise<void> {
  if (source.schemas.join() !== target.schemas.join())
    throw differs(
      `${source.name} has the schemas ${source.schemas.join(', ')}, ${target.name} ${target.schemas.join(', ')}`,
    );
  const [there, here] = await Promise.all(
    [source, target].map((each) => each.transaction((transaction) => shapesOf(each, transaction))),
  );
  const different = Object.keys({ ...there, ...here }).filter((name) => there?.[name] !== here?.[name]);
  if (different.length > 0) throw differs(`${different.slice(0, 5).join(', ')} are not the same in both`);
  const objects = await target.transaction((transaction) => objectsInUse(target, transaction));
  if (objects.length === 0) return;
  throw moveRefused(
    'TargetInUse',
    `${target.name} has objects of its own, which would be lost: ${objects.slice(0, 5).join(', ')}`,
    {
      remedy: 'Move to a new installation, or delete these first',
    },
  );
}

/** Migrations of each schema, and columns of each table. */
async function shapesOf(
  { schemas }: Installation,
  transaction: Transaction,
): Promise<Readonly<Record<string, string>>> {
  const shapes: Record<string, string> = {};
  for (const schema of schemas) {
    shapes[`migrations of ${schema}`] = (await migrationsOf(transaction, schema)).join();
    for (const { name, shape } of await movedTables(transaction, schema))
      shapes[`columns of ${schema}.${name}`] = shape;
  }
  return shapes;
}

async function objectsInUse({ schemas }: Installation, transaction: Transaction): Promise<readonly string[]> {
  const found: string[] = [];
  for (const schema of schemas) {
    const rows = await transaction.rowsOnce<{ what: string }>(
      `SELECT kind || ' ' || ltrim(namespace || '/' || name, '/') AS what FROM ${quoted(schema)}.resources WHERE kind = ANY($1) ORDER BY 1`,
      [IN_USE],
    );
    found.push(...rows.map(({ what }) => what));
  }
  return found;
}

function differs(difference: string): Error {
  return moveRefused('ReleaseDiffers', `The two installations do not fit together: ${difference}`, {
    remedy: 'Bring both to the same release, start each once, and try again',
  });
}
