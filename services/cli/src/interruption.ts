/** Thrown when a person ended a command with Ctrl-C: what is open was closed in order, and nothing goes on. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

let goesOn: string | undefined;

/** Waits for what the platform does with nobody waiting, too: Ctrl-C ends the waiting only, and says so with this. */
export async function whileItGoesOn<T>(note: string, work: () => Promise<T>): Promise<T> {
  const before = goesOn;
  goesOn = note;
  try {
    return await work();
  } finally {
    goesOn = before;
  }
}

/** What goes on although the command ends here; undefined: nothing. */
export function noteOfWhatGoesOn(): string | undefined {
  return goesOn;
}
