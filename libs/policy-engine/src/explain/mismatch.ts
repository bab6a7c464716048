import type { PolicyReviewRequest, PolicySpec } from '@crate/api';
import { kindOf } from '../document/subject-kind.js';
import { matches, saysNothingOfMachines } from '../review/match.js';

type Match = PolicySpec['match'];

/** Why a rule is not about what a request asks, one line for each part of its `match` that does not fit; none when all do. */
export function mismatchesOf(spec: PolicySpec, request: PolicyReviewRequest): readonly string[] {
  const { stages, ...others } = spec.match;
  if (!stages.includes(request.stage)) return [`match.stages: ${stages.join(', ')}; the document is ${request.stage}`];
  const engines = saysNothingOfMachines(request) ? { engines: 'those that make clusters' } : {};
  const parts = { operations: ['CREATE', 'UPDATE'], ...engines, ...others } as Omit<Match, 'stages'>;
  return (Object.keys(parts) as (keyof typeof parts)[])
    .filter((part) => !matches({ ...spec, match: withOnly(spec.match, part) }, request))
    .map((part) => `match.${part}: ${written(parts[part])}; ${actual(part, request)}`);
}

/** Operations have a default, which stands aside for the other parts. */
function withOnly({ stages, ...others }: Match, part: keyof Omit<Match, 'stages'>): Match {
  const every: Match = { stages, operations: ['CREATE', 'UPDATE', 'DELETE'] };
  if (part === 'operations') return { stages, ...(others.operations ? { operations: others.operations } : {}) };
  return { ...every, [part]: others[part] };
}

function written(part: unknown): string {
  return Array.isArray(part) ? part.join(', ') : JSON.stringify(part);
}

function actual(part: keyof Omit<Match, 'stages'>, request: PolicyReviewRequest): string {
  const { subject, operation = 'UPDATE' } = request;
  const { group, kind } = kindOf(request);
  switch (part) {
    case 'operations':
      return `the operation is ${operation}`;
    case 'kinds':
      return `the kind is ${group === '' ? kind : `${group}/${kind}`}`;
    case 'projects':
    case 'excludeProjects':
      return `the Project is ${subject.namespace}`;
    case 'providers':
      return `the provider is ${subject.provider ?? 'not known'}`;
    case 'engines':
      return `the engine is ${subject.engine ?? 'not known'}`;
    case 'labels':
      return 'the labels do not fit';
  }
}
