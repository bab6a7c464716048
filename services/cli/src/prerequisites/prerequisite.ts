import { PlatformError } from '@crate/errors';

/** One way to get a program: gives its path, undefined when this way is not open here, or throws saying why it failed. */
export interface Source {
  /** For people: "PATH", "the system's package manager". */
  readonly name: string;
  readonly find: () => Promise<string | undefined>;
}

/** A program the platform needs. */
export interface Prerequisite {
  readonly program: string;
  /** In the order they are tried. */
  readonly sources: readonly Source[];
  /** What a person can do when all of them fail. */
  readonly remedy: string;
}

/** The program's path from the first source that has it. Throws Unavailable that names each source and why it failed. */
export async function obtain(prerequisite: Prerequisite, say: (line: string) => void): Promise<string> {
  const tried: string[] = [];
  for (const source of prerequisite.sources) {
    try {
      const path = await source.find();
      if (path !== undefined) return path;
      tried.push(`${source.name}: not there`);
    } catch (error) {
      tried.push(`${source.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
    say(`${prerequisite.program} not found by ${tried.at(-1)}`);
  }
  const message = `${prerequisite.program} is missing (${tried.join('; ')}). ${prerequisite.remedy}`;
  throw new PlatformError('Unavailable', message, { details: { reason: 'PrerequisiteMissing' } });
}
