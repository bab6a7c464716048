import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../run.mjs';
import { packageOf } from '../assemble/own-code.mjs';
import { EXTERNAL } from './programs.mjs';

/** Leaves the packages of `EXTERNAL`, and all that these need, outside of a bundle in `directory`; `names` gets those that it asks for. */
export function outside(directory, names) {
  const external = closureOf(EXTERNAL);
  return {
    name: 'outside',
    resolveId: {
      filter: { id: /^(?![./\0]|node:)/ },
      async handler(source, importer, options) {
        if (!external.has(packageOf(source)) || importer === undefined) return null;
        const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
        if (!resolved || resolved.id === source) return null;
        refuseAnother(source, resolved.id, directory);
        names.add(packageOf(source));
        return { id: source, external: true };
      },
    },
  };
}

/** From a bundle a name is looked up elsewhere than from the module that had it: it has to be the same package. */
function refuseAnother(source, id, directory) {
  const name = packageOf(source);
  const found = placeOf(name, directory);
  if (found !== undefined && id.startsWith(`${found}/`)) return;
  throw new Error(
    `${source} is ${id}, and ${found ?? 'nothing'} for the bundle in ${directory}: leave it out of EXTERNAL`,
  );
}

function placeOf(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name);
    if (existsSync(join(place, 'package.json'))) return place;
    if (folder === root || folder === dirname(folder)) return undefined;
  }
}

function closureOf(names) {
  const closure = new Set();
  const visit = (name, from) => {
    const place = placeOf(name, from);
    if (closure.has(name) || place === undefined) return;
    closure.add(name);
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) visit(each, place);
  };
  for (const name of names) visit(name, root);
  return closure;
}
