import { FLEET_HEALTHS, FLEET_LIMIT, type FleetHealth } from '@crate/api';
import { PlatformError, type ErrorCause } from '@crate/errors';
import { FLEET_ORDERS, type FleetOrder } from './fleet-order.js';

/** Parameters that are lists of words with commas between them; a row has to have one of them. */
export const FLEET_FILTERS = ['project', 'region', 'version', 'provider', 'engine', 'class'] as const;

export type FleetFilter = (typeof FLEET_FILTERS)[number];

/** What somebody wants to see. */
export interface FleetQuery {
  readonly filters: Readonly<Partial<Record<FleetFilter, readonly string[]>>>;
  readonly healths: readonly FleetHealth[] | undefined;
  /** Part of the name, Project, class or cause, however it is spelled. */
  readonly text: string | undefined;
  readonly order: FleetOrder;
  readonly offset: number;
  readonly limit: number;
  /** The same for all that ask the same. */
  readonly key: string;
}

/** Default: what needs a person first comes first. */
const ORDER: FleetOrder = '-attention';
const MOST_WORDS = 200;
/** Characters of `q`. */
export const LONGEST_TEXT = 200;
const LARGEST_OFFSET = 999_999_999;
/** Of the request, not of what is asked for. */
const OTHERS = ['watch', 'timeoutSeconds', 'pretty'];
/** Everything that may be asked with. */
export const KNOWN_PARAMETERS: readonly string[] = [
  ...FLEET_FILTERS,
  'health',
  'q',
  'sort',
  'offset',
  'limit',
  ...OTHERS,
];

/** Reads the parameters. Throws BadRequest that names everything wrong with them. */
export function parseFleetQuery(parameters: URLSearchParams): FleetQuery {
  const problems = new Problems(parameters);
  const filters = Object.fromEntries(
    FLEET_FILTERS.flatMap((name) => (parameters.has(name) ? [[name, problems.words(name)]] : [])),
  );
  const query = {
    filters,
    healths: parameters.has('health') ? problems.oneOrMoreOf('health', FLEET_HEALTHS) : undefined,
    text: problems.text('q'),
    order: problems.oneOf('sort', FLEET_ORDERS, ORDER),
    offset: problems.number('offset', { least: 0, most: LARGEST_OFFSET, standard: 0 }),
    limit: problems.number('limit', { least: 1, most: FLEET_LIMIT.most, standard: FLEET_LIMIT.standard }),
  };
  problems.throwIfAny();
  return { ...query, key: JSON.stringify(query) };
}

/** How long a watch may go on, in milliseconds; undefined: for as long as its reader likes. Throws BadRequest. */
export function watchTimeoutOf(parameters: URLSearchParams): number | undefined {
  if (!parameters.get('timeoutSeconds')) return undefined;
  const problems = new Problems(parameters);
  const seconds = problems.number('timeoutSeconds', { least: 1, most: 86_400, standard: 1 });
  problems.throwIfAny();
  return seconds * 1000;
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly standard: number;
}

/** Reads values, and keeps what is wrong with them. */
class Problems {
  private readonly causes: ErrorCause[] = [];

  constructor(private readonly parameters: URLSearchParams) {
    const unknown = new Set([...parameters.keys()].filter((name) => !KNOWN_PARAMETERS.includes(name)));
    for (const name of unknown) this.add(name, `Unknown parameter: supported: ${KNOWN_PARAMETERS.join(', ')}`);
  }

  words(name: string): readonly string[] {
    const words = this.parameters.getAll(name).flatMap((value) => value.split(','));
    const found = [...new Set(words.map((word) => word.trim()).filter((word) => word !== ''))].sort();
    if (found.length === 0) this.add(name, 'Must name at least one, or be left out');
    if (found.length > MOST_WORDS) this.add(name, `Too many: at most ${MOST_WORDS}`);
    return found;
  }

  oneOrMoreOf<T extends string>(name: string, allowed: readonly T[]): readonly T[] {
    const words = this.words(name);
    const wrong = words.filter((word) => !isOneOf(word, allowed));
    for (const word of wrong) this.unsupported(name, word, allowed);
    return words.filter((word) => isOneOf(word, allowed));
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], standard: T): T {
    const value = this.single(name);
    if (value === undefined || isOneOf(value, allowed)) return value ?? standard;
    this.unsupported(name, value, allowed);
    return standard;
  }

  number(name: string, { least, most, standard }: Bounds): number {
    const value = this.single(name);
    if (value === undefined) return standard;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
    if (number >= least && number <= most) return number;
    this.add(name, `Invalid value: ${JSON.stringify(value)}: must be a whole number from ${least} to ${most}`);
    return standard;
  }

  text(name: string): string | undefined {
    const value = this.single(name)?.trim();
    if (value === undefined || value === '') return undefined;
    if (value.length > LONGEST_TEXT) this.add(name, `Too long: at most ${LONGEST_TEXT} characters`);
    return value.toLowerCase();
  }

  throwIfAny(): void {
    const { causes } = this;
    if (causes.length === 0) return;
    const message = causes.map((cause) => `${cause.field ?? ''}: ${cause.message}`).join('; ');
    throw new PlatformError('BadRequest', message, { details: { causes } });
  }

  /** Undefined when it is absent or empty. */
  private single(name: string): string | undefined {
    const values = this.parameters.getAll(name);
    if (values.length > 1) this.add(name, 'Must be stated once');
    return values[0] === '' ? undefined : values[0];
  }

  private unsupported(name: string, value: string, allowed: readonly string[]): void {
    this.add(name, `Unsupported value: ${JSON.stringify(value)}: supported values: ${allowed.join(', ')}`);
  }

  private add(field: string, message: string): void {
    this.causes.push({ reason: 'FieldValueInvalid', field, message });
  }
}

function isOneOf<T extends string>(value: string, allowed: readonly T[]): value is T {
  return (allowed as readonly string[]).includes(value);
}
