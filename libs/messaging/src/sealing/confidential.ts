import { invariant } from '@crate/errors';

/** A value that may cross NATS only sealed: whatever would write it as plain text fails instead. */
export class Confidential {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  /** For who may know it. */
  reveal(): unknown {
    return this.#value;
  }

  /** What `JSON.stringify` calls. */
  toJSON(): never {
    throw invariant('A secret was about to be sent in the clear');
  }
}

/** The members of a body that may be read on the way, and those that may not. */
export interface SplitBody {
  readonly open: unknown;
  /** Undefined when there are none. */
  readonly secret: Readonly<Record<string, unknown>> | undefined;
}

/** Takes the confidential members out of a body; only its first level is looked at. */
export function splitBody(body: unknown): SplitBody {
  if (typeof body !== 'object' || body === null) return { open: body, secret: undefined };
  const members = Object.entries(body);
  if (!members.some(([, value]) => value instanceof Confidential)) return { open: body, secret: undefined };
  const open: Record<string, unknown> = {};
  const secret: Record<string, unknown> = {};
  for (const [name, value] of members) {
    if (value instanceof Confidential) secret[name] = value.reveal();
    else open[name] = value;
  }
  return { open, secret };
}
