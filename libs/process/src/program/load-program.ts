import { readFileSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What tells of a bundle what it is made of, beside it. */
interface Contents {
  /** Files that change whenever compiled modules in the bundle do, relative to it. */
  readonly builds: readonly string[];
}

/**
 * Loads a program as one file, from its bundle, or, where that is absent or older than what it was made of, from its modules, which is the
 * same and slower. What V8 compiled is kept beside the bundle when that may be written, or where NODE_COMPILE_CACHE has it.
 */
export async function loadProgram<T>(bundle: URL, loadModules: () => Promise<T>): Promise<T> {
  if (!isUpToDate(bundle)) return loadModules();
  enableCompileCache(fileURLToPath(new URL('compiled/', bundle)));
  return (await import(bundle.href)) as T;
}

/** Whether there is a bundle that nothing was compiled after. */
export function isUpToDate(bundle: URL): boolean {
  const madeAt = timeOf(bundle);
  if (madeAt === undefined) return false;
  const { builds } = JSON.parse(readFileSync(new URL('contents.json', bundle), 'utf8')) as Contents;
  return builds.every((build) => (timeOf(new URL(build, bundle)) ?? 0) <= madeAt);
}

/** An installation has no record of builds, and none happen there. */
function timeOf(file: URL): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
