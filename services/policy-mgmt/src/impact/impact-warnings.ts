import { isDeepStrictEqual } from 'node:util';
import type { Policy, PolicyConsequence, PolicyImpact } from '@crate/api';
import { toPlatformError } from '@crate/errors';
import { catalogued } from '@crate/policy-engine';
import type { AdmissionHook } from '@crate/resource-server';
import { count, type PolicyImpacts } from './policy-impact.js';

/** A person waits for a write. */
const WITHIN_MS = 3_000;
const NAMED = 5;
const MESSAGE_CHARS = 120;

/**
 * Warns whoever writes a rule of what it leads to for what is there: in a dry run before it is so. Never refuses, and says nothing of the
 * writes of the service itself, which publishes packs.
 */
export function impactWarnings(
  impacts: Pick<PolicyImpacts, 'of'>,
  own: string,
  withinMs: number = WITHIN_MS,
): AdmissionHook {
  return async ({ operation, object, oldObject, context, dryRun }) => {
    if (operation === 'DELETE' || context.caller.user === own) return undefined;
    if (oldObject && isDeepStrictEqual(oldObject['spec'], object['spec'])) return undefined;
    const after = catalogued(object as Policy);
    const change = oldObject ? { before: catalogued(oldObject as Policy), after } : { after };
    try {
      return { warnings: warningsOf(await impacts.of(change, withinMs), dryRun ? 'would' : 'will') };
    } catch (error) {
      // What cannot be told must not stand in the way of a rule.
      return { warnings: [`what the rule leads to is not known (${toPlatformError(error).message})`] };
    }
  };
}

/** In the words of people, a line for each kind of consequence. Pure. */
export function warningsOf(impact: PolicyImpact, verb: 'would' | 'will'): readonly string[] {
  const { clusters, projects, newlyDenied, newlyWarned, noLonger, counts, documents, incomplete } = impact;
  const where = `${count(clusters, 'cluster')} in ${count(projects, 'project')}`;
  return [
    ...(clusters > 0 ? [`${verb} newly deny ${where}: ${named(newlyDenied, clusters)}`] : []),
    ...line(`${verb} newly warn of`, newlyWarned, counts.newlyWarned),
    ...line(`${verb} no longer object to`, noLonger, counts.noLonger),
    ...(incomplete ? [`judged ${count(documents, 'document')} before the time was over: there may be more`] : []),
  ];
}

function line(what: string, told: readonly PolicyConsequence[], number: number): string[] {
  return number === 0 ? [] : [`${what} ${count(number, 'document')}: ${named(told, clustersIn(told).length)}`];
}

/** A few clusters, each with the first thing that is wrong with it. */
function named(told: readonly PolicyConsequence[], clusters: number): string {
  const some = clustersIn(told).slice(0, NAMED);
  const texts = some.map(({ project, cluster, field, message }) => `${project}/${cluster} (${field}: ${cut(message)})`);
  const more = clusters - some.length;
  return `${texts.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function clustersIn(told: readonly PolicyConsequence[]): readonly PolicyConsequence[] {
  const first = new Map(told.toReversed().map((each) => [`${each.project}/${each.cluster}`, each]));
  return [...first.values()].reverse();
}

function cut(text: string): string {
  return text.length <= MESSAGE_CHARS ? text : `${text.slice(0, MESSAGE_CHARS - 1)}…`;
}
