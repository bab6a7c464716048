import { formatApiVersion } from '../objects/api-version.js';
import { ServedKinds, type ServedKind } from '../objects/served-kinds.js';
import { dataText } from '../output/print.js';
import { formatTable } from '../progress/table.js';
import { apiOf } from '../client/context.js';
import type { ApiOptions } from '../commands/api-options.js';

type Format = 'table' | 'name' | 'json' | 'yaml';

export async function runApiResources(options: ApiOptions & { readonly output: Format }): Promise<void> {
  const { all } = await ServedKinds.load(await apiOf(options));
  if (options.output === 'table') return console.log(tableOf(all).join('\n'));
  if (options.output === 'name') return console.log(all.map(nameOf).join('\n'));
  process.stdout.write(dataText(options.output, all));
}

function nameOf({ plural, group }: ServedKind): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function tableOf(kinds: readonly ServedKind[]): readonly string[] {
  const rows = kinds.map(({ plural, shortNames, group, version, namespaced, kind, verbs }) => [
    ...[plural, shortNames.join(','), formatApiVersion(group, version), String(namespaced), kind],
    verbs.join(','),
  ]);
  return formatTable(['NAME', 'SHORT NAMES', 'API VERSION', 'IN PROJECTS', 'KIND', 'VERBS'], rows);
}
