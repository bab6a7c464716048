import { badRequest } from '@crate/errors';
import type { ServedKind, ServedKinds } from './served-kinds.js';

/** What a command line names: one object, or all of a kind. */
export interface Target {
  readonly kind: ServedKind;
  /** Absent: all of them. */
  readonly name?: string;
}

/** `TYPE`, `TYPE,TYPE`, `TYPE NAME…` or `TYPE/NAME…`, as kubectl takes them. Throws BadRequest for anything else. */
export function targetsOf(kinds: ServedKinds, args: readonly string[]): readonly Target[] {
  const [first = '', ...names] = args;
  if ([first, ...names].some((argument) => argument.trim() === ''))
    throw badRequest('Name what you mean: TYPE, TYPE NAME or TYPE/NAME, such as clusters or cluster/demo');
  if (args.some((argument) => argument.includes('/'))) return args.map((argument) => single(kinds, argument));
  const asked = first.split(',').flatMap((type) => kinds.named(type));
  if (names.length === 0) return asked.map((kind) => ({ kind }));
  return asked.flatMap((kind) => names.map((name) => ({ kind, name })));
}

function single(kinds: ServedKinds, argument: string): Target {
  const [type = '', name = '', ...more] = argument.split('/');
  if (type === '' || name === '' || more.length > 0) {
    throw badRequest(`Expected TYPE/NAME such as cluster/demo, not "${argument}"; do not mix it with TYPE NAME`);
  }
  const [kind] = kinds.named(type);
  if (!kind) throw badRequest(`The platform serves no kind "${type}"`);
  return { kind, name };
}
