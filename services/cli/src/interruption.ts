/** What ends a command from outside, and that it hears. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

interface Interruption extends ErrorOptions {
  /** Default: Ctrl-C. */
  readonly by?: StopSignal;
}

/** Thrown when a command was ended from outside, as with Ctrl-C: what is open was closed in order, and nothing goes on. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly by: StopSignal;

  constructor(message: string, { by = 'SIGINT', ...options }: Interruption = {}) {
    super(message, options);
    this.by = by;
  }
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
