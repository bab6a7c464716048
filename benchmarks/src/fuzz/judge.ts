import { shapeFindings } from './answer-shape.js';
import type { FuzzRequest } from './request-arbitrary.js';
import type { ResponseSchemas } from './response-schemas.js';
import type { World } from './world.js';

/** What came back, or why nothing did. */
export interface FuzzAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly milliseconds: number;
  /** `hang` when the deadline passed, else what broke. */
  readonly broken?: string;
}

/** Something that must not be. */
export interface Finding {
  readonly rule:
    'server-error' | 'hang' | 'broken' | 'leak' | 'trespass' | 'anonymous' | 'schema' | 'undeclared' | 'internals';
  readonly detail: string;
}

/** Traces of a program in what is sent to people. */
const INTERNALS = /node_modules|\bat (?:async )?[\w.<>]+ \(|\.[jt]s:\d+|\/work\/|postgres:\/\/|SELECT .* FROM /;

/** Holds answers to the rules. */
export class Judge {
  constructor(
    private readonly world: World,
    private readonly schemas: ResponseSchemas,
  ) {}

  findings(request: FuzzRequest, answer: FuzzAnswer): Finding[] {
    if (answer.broken !== undefined) {
      return [{ rule: answer.broken === 'hang' ? 'hang' : 'broken', detail: answer.broken }];
    }
    const { code, body } = answer;
    return [
      ...(code >= 500 ? [{ rule: 'server-error' as const, detail: `${code} ${body.slice(0, 300)}` }] : []),
      ...(INTERNALS.test(body) && !INTERNALS.test(request.body ?? '')
        ? [{ rule: 'internals' as const, detail: body.slice(0, 300) }]
        : []),
      ...this.leaks(request, answer),
      ...access(request, answer),
      ...shapeFindings(request, answer, this.schemas),
    ];
  }

  private leaks({ caller }: FuzzRequest, { body, headers }: FuzzAnswer): Finding[] {
    const seen = body + JSON.stringify(headers);
    const foreign = this.world.tenants.filter(({ project }) => caller.isAdmin !== true && caller.project !== project);
    const secrets = [
      ...foreign.flatMap(({ secrets: own }) => own),
      ...this.world.tenants.map(({ credential }) => credential),
    ];
    return secrets.filter((secret) => seen.includes(secret)).map((secret) => ({ rule: 'leak', detail: secret }));
  }
}

const GUARDED = /^\/(api|audit|fleet|platform|terraform)/;

/** Strangers get nothing, and nobody gets anything of a Project they do not belong to. */
function access({ caller, operation, kind, target }: FuzzRequest, { code, body }: FuzzAnswer): Finding[] {
  const isGiven = code >= 200 && code < 300;
  const isStranger = caller.token === undefined || caller.name === 'forger';
  if (isStranger && isGiven && !operation.isPublic && GUARDED.test(target)) {
    return [{ rule: 'anonymous', detail: `${code} ${body.slice(0, 200)}` }];
  }
  const isTrespass = kind === 'foreign' && /\{(namespace|project)\}/.test(operation.path) && caller.isAdmin !== true;
  return isTrespass && isGiven ? [{ rule: 'trespass', detail: `${code} ${body.slice(0, 200)}` }] : [];
}
