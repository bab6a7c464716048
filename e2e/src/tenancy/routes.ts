import type { HttpClient } from '../conformance/http-client.js';
import { readExpectations, VERBS, type Letter, type Verb } from './expectations.js';
import { NONE, OTHER, OWN } from './people.js';

/** A resource or subresource as the running platform announces it. */
interface Announced {
  readonly group: string;
  readonly version: string;
  /** `clusters`, or `clusters/status`. */
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** One thing to try. */
export interface Route extends Omit<Announced, 'verbs'> {
  readonly verb: Verb;
  readonly letter: Letter;
  /** The Project it is about; absent: all of them, or none. */
  readonly project?: string;
  readonly object?: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly isOffered: boolean;
}

const MISSING = 'nothing-here';
/** Groups of questions about oneself, of which nothing is stored. */
const QUESTIONS = ['authentication.k8s.io', 'authorization.k8s.io'];
const METHODS: Readonly<Record<Verb, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};
/** Nothing is changed by whoever may: documents are empty, and all is tried dry that has a name. */
const QUERIES: Partial<Readonly<Record<Verb, string>>> = {
  watch: '?watch=true&timeoutSeconds=1',
  create: '?dryRun=All',
  update: '?dryRun=All',
  patch: '?dryRun=All',
  delete: '?dryRun=All',
  deletecollection: '?dryRun=All',
};
const NAMED: readonly Verb[] = ['get', 'update', 'patch', 'delete'];

/** Everything the platform announces; throws when the hand-written table lacks any of it, or has more. */
export async function announced(http: HttpClient): Promise<readonly Announced[]> {
  const { body } = await http.get('/apis');
  const groups = (body as unknown as { groups: { name: string; versions: { version: string }[] }[] }).groups;
  const roots = groups.flatMap(({ name, versions }) => versions.map(({ version }) => ({ group: name, version })));
  const found = await Promise.all([...roots, { group: '', version: 'v1' }].map((root) => resourcesOf(http, root)));
  const all = found.flat().filter(({ group }) => !QUESTIONS.includes(group));
  const said = new Set(readExpectations().keys());
  const unsaid = all.map(keyOf).filter((key) => !said.has(key));
  if (unsaid.length > 0) throw new Error(`Nobody said who may use ${unsaid.join(', ')}`);
  const unheard = [...said].filter((key) => !all.some((each) => keyOf(each) === key));
  if (unheard.length > 0) throw new Error(`The platform does not announce ${unheard.join(', ')}`);
  return all;
}

/** What is offered beside resources; the front door's list of routes has these and pages that everybody may see. */
export function furtherRoutes(cluster: (project: string) => string | undefined): readonly Route[] {
  const audits = [OWN, OTHER, NONE].map((project) => further(`/audit/events?namespace=${project}`, 'A', { project }));
  const states = [OWN, OTHER, NONE].flatMap((project) =>
    TERRAFORM.map((how) => further(`/terraform/${project}/${cluster(project) ?? MISSING}`, 'G', { project, ...how })),
  );
  const others = ['/audit/events', '/audit/verify', '/platform/upgrade'].map((path) => further(path, 'P'));
  return [...audits, ...states, ...others];
}

/** What changes something is wrong in itself: no state, no lock, and the lock of nobody. */
const TERRAFORM: readonly Partial<Route>[] = [
  {},
  { method: 'POST', body: {} },
  { method: 'LOCK', body: {} },
  { method: 'UNLOCK', body: { ID: 'nobody' } },
];

function further(path: string, letter: Letter, more: Partial<Route> = {}): Route {
  const what = { group: '', version: '', name: path, namespaced: more.project !== undefined, isOffered: false };
  return { ...what, verb: 'get', method: 'GET', letter, path, ...more };
}

/** Every verb of everything, in every Project and in all at once. `known` gives names of objects that exist. */
export function routesOf(
  all: readonly Announced[],
  known: (resource: string, project: string | undefined) => string | undefined,
): readonly Route[] {
  const table = readExpectations();
  return all.flatMap((each) =>
    VERBS.flatMap((verb) => {
      const letter = table.get(keyOf(each))?.[verb] ?? '.';
      return letter === '.' ? [] : places(each, verb, known).map((place) => ({ ...route(each, verb, place), letter }));
    }),
  );
}

type Place = Pick<Route, 'project' | 'object'>;

function places(each: Announced, verb: Verb, known: Parameters<typeof routesOf>[1]): readonly Place[] {
  const [plural = '', subresource] = each.name.split('/');
  const isNamed = NAMED.includes(verb) || subresource !== undefined;
  if (plural === 'projects' && isNamed) return [OWN, OTHER, NONE].map((name) => ({ project: name, object: name }));
  const objects = (project?: string): readonly Place[] => {
    const scope = project === undefined ? {} : { project };
    if (!isNamed) return [scope];
    const name = known(plural, project);
    return [MISSING, ...(name === undefined ? [] : [name])].map((object) => ({ ...scope, object }));
  };
  if (!each.namespaced) return objects();
  const everywhere = verb === 'list' || verb === 'watch' ? [{}] : [];
  return [...[OWN, OTHER, NONE].flatMap(objects), ...everywhere];
}

function route(each: Announced, verb: Verb, { project, object }: Place): Omit<Route, 'letter'> {
  const { group, version, namespaced, name } = each;
  const [plural = '', subresource] = name.split('/');
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespaced && project !== undefined ? `/namespaces/${project}` : '';
  const parts = [
    plural,
    ...(object === undefined ? [] : [object]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return {
    group,
    version,
    name,
    namespaced,
    verb,
    ...(project === undefined ? {} : { project }),
    ...(object === undefined ? {} : { object }),
    method: METHODS[verb],
    path: `${root}${scope}/${parts.join('/')}${QUERIES[verb] ?? ''}`,
    ...(['create', 'update', 'patch'].includes(verb) ? { body: {} } : {}),
    isOffered: each.verbs.includes(verb),
  };
}

async function resourcesOf(
  http: HttpClient,
  { group, version }: Pick<Announced, 'group' | 'version'>,
): Promise<readonly Announced[]> {
  const { body } = await http.get(group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
  const { resources } = body as unknown as { resources: Omit<Announced, 'group' | 'version'>[] };
  return resources.map(({ name, namespaced, verbs }) => ({ group, version, name, namespaced, verbs }));
}

function keyOf({ group, name }: Pick<Announced, 'group' | 'name'>): string {
  return `${group}/${name}`;
}
