import { PlatformError } from '@crate/errors';

/** Of somebody who waits for a program. */
export interface Waiting {
  /** Told what happens, one line at a time. */
  readonly say: (line: string) => void;
  /** Gives up. */
  readonly signal?: AbortSignal;
}

/** One way to get a program: gives its path, undefined when this way is not open here, or throws saying why it failed. */
export interface Source {
  /** For people: "PATH", "the system's package manager". */
  readonly name: string;
  readonly find: (waiting: Waiting) => Promise<string | undefined>;
}

/** A program the platform needs. */
export interface Prerequisite {
  readonly program: string;
  /** In the order they are tried. */
  readonly sources: readonly Source[];
  /** What a person can do when all of them fail. */
  readonly remedy: string;
}

/**
 * The program's path from the first source that has it. Throws Unavailable that names each source and why it failed, or what the
 * signal gives for its reason.
 */
export async function obtain(prerequisite: Prerequisite, waiting: Waiting): Promise<string> {
  const tried: string[] = [];
  for (const source of prerequisite.sources) {
    try {
      const path = await source.find(waiting);
      if (path !== undefined) return path;
      tried.push(`${source.name}: not there`);
    } catch (error) {
      waiting.signal?.throwIfAborted();
      tried.push(`${source.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
    waiting.say(`${prerequisite.program} not found by ${tried.at(-1)}`);
  }
  const message = `${prerequisite.program} is missing (${tried.join('; ')}). ${prerequisite.remedy}`;
  throw new PlatformError('Unavailable', message, { details: { reason: 'PrerequisiteMissing' } });
}
