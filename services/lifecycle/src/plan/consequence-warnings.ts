import { consequenceWarnings as warningsOf, type Cluster, type PlanPreview } from '@crate/api';
import { toPlatformError } from '@crate/errors';
import type { CallContext } from '@crate/resource-client';
import { jsonEqual, type AdmissionHook, type AdmissionRequest } from '@crate/resource-server';
import type { ClusterChange, ConsequenceResolver } from './consequences/consequence-resolver.js';

/** kubectl gives up after much longer; a person does sooner. */
const TERRAFORM_MS = 4_000;

const SILENT = Symbol('no consequences wanted');

/** A context whose dry runs are only asked whether they may be. */
export function withoutConsequences(context: CallContext): CallContext {
  return { ...context, [SILENT]: true } as CallContext;
}

/**
 * Warns in a dry run of what the write or the deletion would lead to. What Terraform would do is a part of it where that is known in a few seconds.
 * Never refuses: what may not be, other hooks say.
 */
export function consequenceWarnings(
  consequences: ConsequenceResolver,
  terraformMs: number = TERRAFORM_MS,
): AdmissionHook {
  return async ({ operation, object, oldObject, context, dryRun }) => {
    if (!dryRun || context.caller.service !== undefined || SILENT in context) return undefined;
    const change = changeOf(operation, object as Cluster, oldObject as Cluster | undefined);
    if (!change) return undefined;
    const { preview, why } = await previewWithin(consequences, change, context, terraformMs);
    const found = await linesOf(consequences, change, preview, context);
    return { warnings: [...found, ...(why === undefined ? [] : [why])] };
  };
}

/** Undefined where nothing comes of it: the spec stays, or the cluster goes already. */
function changeOf(
  operation: AdmissionRequest['operation'],
  object: Cluster,
  before: Cluster | undefined,
): ClusterChange | undefined {
  if (operation === 'DELETE') return object.metadata.deletionTimestamp === undefined ? { before: object } : undefined;
  if (!before) return { after: object };
  return jsonEqual(object.spec, before.spec) ? undefined : { before, after: object };
}

/** What cannot be told must not stand in the way of a question. */
async function linesOf(
  consequences: ConsequenceResolver,
  change: ClusterChange,
  preview: PlanPreview | undefined,
  context: CallContext,
): Promise<readonly string[]> {
  try {
    return warningsOf(await consequences.resolve(change, preview, context));
  } catch (error) {
    return [`consequences: not known (${toPlatformError(error).message})`];
  }
}

interface Preview {
  readonly preview: PlanPreview | undefined;
  /** Why there is none. */
  readonly why?: string;
}

async function previewWithin(
  consequences: ConsequenceResolver,
  change: ClusterChange,
  context: CallContext,
  withinMs: number,
): Promise<Preview> {
  const limit = AbortSignal.timeout(withinMs);
  const signal = context.signal ? AbortSignal.any([context.signal, limit]) : limit;
  try {
    return { preview: await consequences.preview(change, { ...context, signal }) };
  } catch (error) {
    const { name, namespace = '' } = ((change.after ?? change.before) as Cluster).metadata;
    const command = `crate plan ${name} -n ${namespace} ${change.after ? '-f FILE' : '--destroy'} --wait`;
    const why = limit.aborted ? 'not known within a few seconds' : `not known (${toPlatformError(error).message})`;
    return { preview: undefined, why: `Terraform: ${why}; make a plan to see it (${command})` };
  }
}
