import { z } from 'zod';

/** What a field's `.meta()` may say besides its `description`. */
export interface ConfigMeta {
  /** Full name of the environment variable, instead of the one made from the key. */
  readonly env?: string;
  /** Unit of a number, such as `MiB`; `duration` also accepts `500ms`, `30s`, `5m`, `2h`, `1d`. */
  readonly unit?: string;
  /** May be given as a file by `<NAME>_FILE`, and never shows in documents or logs. */
  readonly secret?: boolean;
  /** What the reference says when the default depends on the machine, such as `two per CPU`. */
  readonly defaultText?: string;
}

/** What a timer can wait for; Node takes more for one millisecond. Source: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A time in milliseconds to wait for, written as `500ms`, `30s`, `5m`, `2h`, `1d` or as a bare number of milliseconds; 24 days at most. */
export function duration(): z.ZodInt {
  return age().max(LONGEST_TIMER_MS, 'must be at most 24d');
}

/** A time as `duration` takes it, of any length: times are compared with it, or the queue of work keeps it, and no timer of Node waits for it. */
export function age(): z.ZodInt {
  return z.int().nonnegative().meta({ unit: 'duration' });
}

/** A text that must not be seen; `<NAME>_FILE` may name a file that holds it. */
export function secret(): z.ZodString {
  return z.string().min(1).meta({ secret: true });
}

/** A TCP port; 0 lets the system choose. */
export function port(): z.ZodInt {
  return z.int().min(0).max(65_535);
}
