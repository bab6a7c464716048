/** Variables as a process is given them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The one door to the process environment: a copy, so that nobody changes it for others. */
export function readEnvironment(): Environment {
  return { ...process.env };
}
