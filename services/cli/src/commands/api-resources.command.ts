import { Command, Option } from 'commander';
import { formatApiVersion } from '@crate/api';
import { ServedKinds, type ServedKind } from '../objects/served-kinds.js';
import { dataText } from '../output/print.js';
import { formatTable } from '../progress/table.js';
import { apiOf, withApiOptions, type ApiOptions } from './api-options.js';

type Format = 'table' | 'name' | 'json' | 'yaml';

/** `crate api-resources`: what `get` and the others take as TYPE. */
export function apiResourcesCommand(): Command {
  return withApiOptions(
    new Command('api-resources').description('List the kinds that the platform serves, with their short names'),
  )
    .addOption(
      new Option('-o, --output <format>', 'how to print it')
        .choices(['table', 'name', 'json', 'yaml'])
        .default('table'),
    )
    .action(async (options: ApiOptions & { readonly output: Format }) => {
      const { all } = await ServedKinds.load(await apiOf(options));
      if (options.output === 'table') return console.log(tableOf(all).join('\n'));
      if (options.output === 'name') return console.log(all.map(nameOf).join('\n'));
      process.stdout.write(dataText(options.output, all));
    });
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
