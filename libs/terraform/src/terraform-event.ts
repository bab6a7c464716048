import { z } from 'zod';

const action = z.enum(['noop', 'create', 'read', 'update', 'replace', 'delete', 'move', 'import', 'remove', 'forget']);
const resource = z.object({ addr: z.string(), resource_type: z.string() });
const hook = z.object({
  resource,
  action: action.catch('noop'),
  id_value: z.string().optional(),
  elapsed_seconds: z.number().optional(),
});
const changes = z.object({
  add: z.number(),
  change: z.number(),
  remove: z.number(),
  import: z.number().default(0),
  operation: z.string(),
});
const diagnostic = z.object({
  severity: z.enum(['error', 'warning']),
  summary: z.string(),
  detail: z.string().default(''),
  address: z.string().optional(),
});

/**
 * The lines of `-json` that carry data; every other line is told as `log`.
 * Source: https://developer.hashicorp.com/terraform/internals/machine-readable-ui
 */
const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('planned_change'), change: z.object({ resource, action: action.catch('noop') }) }),
  z.object({ type: z.literal('resource_drift'), change: z.object({ resource, action: action.catch('noop') }) }),
  z.object({ type: z.literal('change_summary'), changes }),
  z.object({ type: z.literal('apply_start'), hook }),
  z.object({ type: z.literal('apply_progress'), hook }),
  z.object({ type: z.literal('apply_complete'), hook }),
  z.object({ type: z.literal('apply_errored'), hook }),
  z.object({ type: z.literal('diagnostic'), diagnostic }),
  z.object({ type: z.literal('outputs'), outputs: z.record(z.string(), z.object({ value: z.unknown() })) }),
]);

const anyLine = z.object({ '@message': z.string() });

export type TerraformEvent = z.output<typeof event> | { readonly type: 'log' };
export type TerraformDiagnostic = z.output<typeof diagnostic>;
export type ChangeAction = z.output<typeof action>;

/** What a plan is going to do, or an apply has done. */
export interface ChangeSummary {
  readonly add: number;
  readonly change: number;
  readonly remove: number;
  readonly import: number;
}

export interface ParsedLine {
  readonly event: TerraformEvent;
  /** What a person should read in the log. */
  readonly message: string;
}

/** Reads one line of output; what is no event is its own message. Never throws. */
export function parseTerraformLine(line: string): ParsedLine {
  const json = parseJson(line);
  const known = event.safeParse(json);
  const message = anyLine.safeParse(json);
  return {
    event: known.success ? known.data : { type: 'log' },
    message: message.success ? message.data['@message'] : line,
  };
}

function parseJson(line: string): unknown {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
