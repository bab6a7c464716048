import { isSamePlace } from './attribute-path.js';
import { asList, asObject, isMarked, isPlain, type Json } from './json.js';

/** What is done to a resource. */
export type PlannedAction = 'create' | 'update' | 'replace' | 'destroy' | 'import' | 'forget';

/** One attribute that is not afterwards what it is before. */
export interface AttributeChange {
  /** Such as `tags.Name`. */
  readonly path: string;
  /** Absent: there is none. */
  readonly before?: unknown;
  /** Absent: there is none, or it is not known yet. */
  readonly after?: unknown;
  /** Known once it is applied. */
  readonly isUnknown?: true;
  /** The values are masked. */
  readonly isSensitive?: true;
  /** Cannot be changed in place. */
  readonly forcesReplacement?: true;
}

/** Sensitive values are masked; `changes` are empty where there was no room for them, or a secret could not be masked. */
export interface ResourceChange {
  readonly address: string;
  readonly type: string;
  readonly name: string;
  readonly action: PlannedAction;
  readonly changes: readonly AttributeChange[];
}

/** What a plan does, resource by resource. */
export interface PlannedChanges {
  readonly resources: readonly ResourceChange[];
  /** Resources whose attributes are left out, because the plan is too large. */
  readonly omittedChanges: number;
}

export interface PlannedChangesOptions {
  /** Takes secrets out of texts. */
  readonly redact?: (text: string) => string;
  /** Of the whole as JSON, about. Default 384 KiB. */
  readonly maxCharacters?: number;
  /** Marks as `forcesReplacement` only what Terraform names to the letter, and no block around it: digests are made of that, for good. */
  readonly marksNamedOnly?: boolean;
}

const MAX_CHARACTERS = 384 * 1024;

/** Reads what `maskPlanDocument` gave: a document without secrets, whose marks say which values were masked. */
export function plannedChanges(document: Json, options: PlannedChangesOptions = {}): PlannedChanges {
  const { redact = (text: string): string => text, maxCharacters = MAX_CHARACTERS, marksNamedOnly = false } = options;
  const resources: ResourceChange[] = [];
  let characters = 0;
  let omittedChanges = 0;
  for (const resource of asList(document['resource_changes'])) {
    const full = resourceChange(resource, marksNamedOnly);
    if (!full) continue;
    const text = redact(JSON.stringify(full.changes));
    const isTooMuch = full.changes.length > 0 && characters + text.length > maxCharacters;
    characters += isTooMuch ? 0 : text.length;
    omittedChanges += isTooMuch ? 1 : 0;
    resources.push({ ...full, changes: isTooMuch ? [] : parsed(text) });
  }
  return { resources, omittedChanges };
}

/** A secret may stand where redacting it leaves no JSON behind; then nothing of it is shown. */
function parsed(text: string): readonly AttributeChange[] {
  try {
    return JSON.parse(text) as readonly AttributeChange[];
  } catch {
    return [];
  }
}

function resourceChange(resource: Json, marksNamedOnly: boolean): ResourceChange | undefined {
  const change = asObject(resource['change']);
  const action = actionOf(change);
  if (action === undefined || resource['mode'] === 'data') return undefined;
  const { address, type, name } = resource;
  return {
    address: String(address),
    type: String(type),
    name: String(name),
    action,
    changes: attributeChanges(change, marksNamedOnly),
  };
}

/** Source: https://developer.hashicorp.com/terraform/internals/json-format#change-representation */
function actionOf(change: Json): PlannedAction | undefined {
  const actions = asTexts(change['actions']);
  if (actions.length === 2) return 'replace';
  switch (actions[0]) {
    case 'create':
      return 'create';
    case 'update':
      return 'update';
    case 'delete':
      return 'destroy';
    case 'forget':
      return 'forget';
    default:
      return change['importing'] === undefined ? undefined : 'import';
  }
}

interface Values {
  readonly before: unknown;
  readonly after: unknown;
  readonly unknown: unknown;
  readonly sensitiveBefore: unknown;
  readonly sensitiveAfter: unknown;
}

function attributeChanges(change: Json, marksNamedOnly: boolean): readonly AttributeChange[] {
  const forcing = (Array.isArray(change['replace_paths']) ? change['replace_paths'] : []).map(pathText);
  const values: Values = {
    before: change['before'] ?? undefined,
    after: change['after'] ?? undefined,
    unknown: change['after_unknown'],
    sensitiveBefore: change['before_sensitive'],
    sensitiveAfter: change['after_sensitive'],
  };
  const isInPlace = values.before !== undefined && values.after !== undefined;
  // Terraform names what is within a block, such as `root_block_device.0.encrypted`; blocks are shown as a whole.
  const isForcing = ({ path }: AttributeChange): boolean =>
    marksNamedOnly ? forcing.includes(path) : forcing.some((named) => isSamePlace(named, path));
  return differences('', values, isInPlace).map((difference) =>
    isForcing(difference) ? { ...difference, forcesReplacement: true } : difference,
  );
}

/** Objects are compared field by field where there are two; what comes or goes as a whole is shown as a whole. */
function differences(path: string, values: Values, isDeep: boolean): AttributeChange[] {
  const { before, after } = values;
  const isBranch = path === '' || (isDeep && isPlain(before) && isPlain(after));
  if (!isBranch) return leaf(path, values);
  const names = new Set([before, after, values.unknown].flatMap((each) => (isPlain(each) ? Object.keys(each) : [])));
  return [...names].sort().flatMap((name) =>
    differences(
      path === '' ? name : `${path}.${name}`,
      {
        before: field(before, name),
        after: field(after, name),
        unknown: field(values.unknown, name),
        sensitiveBefore: field(values.sensitiveBefore, name),
        sensitiveAfter: field(values.sensitiveAfter, name),
      },
      isDeep,
    ),
  );
}

function leaf(path: string, { before, after, unknown, sensitiveBefore, sensitiveAfter }: Values): AttributeChange[] {
  const isUnknown = isMarked(unknown);
  const isSensitive = isMarked(sensitiveBefore) || isMarked(sensitiveAfter);
  if (!isUnknown && JSON.stringify(before) === JSON.stringify(after) && !isSensitive) return [];
  if (isEmpty(before) && isEmpty(after) && !isUnknown) return [];
  return [
    {
      path,
      ...(isEmpty(before) ? {} : { before }),
      ...(isEmpty(after) ? {} : { after }),
      ...(isUnknown ? { isUnknown } : {}),
      ...(isSensitive ? { isSensitive } : {}),
    },
  ];
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function pathText(path: unknown): string {
  return asTexts(path).join('.');
}

function field(value: unknown, name: string): unknown {
  if (value === true) return true; // A mark of the whole is one of each part.
  return isPlain(value) ? (value[name] ?? undefined) : undefined;
}

function asTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
