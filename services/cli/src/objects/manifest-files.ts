import { readGivenText } from '../output/in-file.js';
import { MANIFEST, mappingOf, STANDARD_INPUT, yamlFilesIn } from '../policy/yaml-files.js';

/**
 * The files that `-f` means. A folder may have JSON of other tools, which is left out; a file that is named has to be of manifests. Throws
 * BadRequest for what is not there.
 */
export async function manifestFilesAt(path: string): Promise<readonly string[]> {
  if (path === STANDARD_INPUT) return [path];
  const found = await yamlFilesIn(path, MANIFEST);
  const meant = await Promise.all(found.map(async (file) => file === path || !(await isOther(file))));
  return found.filter((_, index) => meant[index]);
}

async function isOther(file: string): Promise<boolean> {
  return file.endsWith('.json') && !looksLikeManifest(await readGivenText(file));
}

/** Also one with a mistake in its JSON, which is told of rather than left out. */
function looksLikeManifest(text: string): boolean {
  try {
    const { apiVersion, kind } = mappingOf(JSON.parse(text)) ?? {};
    return apiVersion !== undefined || kind !== undefined;
  } catch {
    return text.includes('"apiVersion"');
  }
}
