import { badRequest } from '@crate/errors';

/** One condition on a field; all conditions of a selector must hold. A field that is absent or no scalar counts as "". */
export interface FieldRequirement {
  /** From the root of the object, such as `['metadata', 'name']`. */
  readonly path: readonly string[];
  readonly isEqual: boolean;
  readonly value: string;
}

const PATH = /^[A-Za-z_][\w-]*(\.[\w-]+)*$/;
const EXPECTED = 'want path=value, path==value or path!=value, separated by commas';

/** Parses Kubernetes' field selector syntax; absent or empty selects all. Throws BadRequest that says what was expected. */
export function parseFieldSelector(text: string | undefined): readonly FieldRequirement[] {
  if (text === undefined || text.trim() === '') return [];
  return splitUnescaped(text).map((part) => parseRequirement(part.trim(), text));
}

/** Whether an object is selected. */
export function matchesFields(requirements: readonly FieldRequirement[], object: object): boolean {
  return requirements.every(({ path, isEqual, value }) => (fieldText(object, path) === value) === isEqual);
}

/** Whether the outcome can never change during an object's life. */
export function isAboutIdentity(requirement: FieldRequirement): boolean {
  return ['metadata.name', 'metadata.namespace', 'metadata.uid'].includes(requirement.path.join('.'));
}

function fieldText(object: object, path: readonly string[]): string {
  let value: unknown = object;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return '';
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function parseRequirement(part: string, text: string): FieldRequirement {
  const match = /^([^=!\s]+)\s*(==|=|!=)\s*(.*)$/s.exec(part);
  const [, path = '', operator, value = ''] = match ?? [];
  if (!match || !PATH.test(path)) throw badRequest(`Invalid field selector "${text}" at "${part}": ${EXPECTED}`);
  return { path: path.split('.'), isEqual: operator !== '!=', value: unescaped(value, text) };
}

/** Kubernetes escapes `,`, `=` and the backslash itself in values by a backslash. */
function unescaped(value: string, text: string): string {
  if (!/^(?:[^\\=,]|\\[\\=,])*$/s.test(value)) {
    throw badRequest(
      `Invalid field selector "${text}" at "${value}": write \\\\, \\, and \\= for backslash, comma and =`,
    );
  }
  return value.replace(/\\([\\=,])/g, '$1');
}

function splitUnescaped(text: string): readonly string[] {
  return text.match(/(?:^|,)(?:\\.|[^\\,])*/gs)?.map((part) => part.replace(/^,/, '')) ?? [];
}
