import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FleetPage } from '@crate/api';
import { eventually } from '@crate/testing';
import type { Answer } from '../conformance/http-client.js';
import { TenancyBench } from './bench.js';
import { VERBS } from './expectations.js';
import { isPromised, OTHER, OWN, type Asker } from './people.js';
import type { Route } from './routes.js';

/** The door answers whatever takes longer than 60 s with a 504; what is left is for the handshakes of everybody at once. */
const LONGEST_MS = 120_000;

const bench = new TenancyBench();
let askers: readonly Asker[];
let routes: readonly Route[];
beforeAll(async () => {
  await bench.start();
  ({ askers, routes } = bench);
});
afterAll(async () => bench.stop());

/** In the words of the door. */
const REFUSED = new RegExp(` cannot (${VERBS.join('|')}) `);

interface Row {
  readonly asker: Asker;
  readonly route: Route;
  readonly answer: Answer;
}

/** All rows, each person's one after the other in a few lanes, everybody at once; the faults found. */
async function tryAll(
  people: readonly Asker[],
  tried: readonly Route[],
  judge: (row: Row) => string | undefined,
): Promise<readonly string[]> {
  const faults: string[] = [];
  let count = 0;
  const begin = performance.now();
  await Promise.all(
    people.map(async (asker) => {
      const rest = [...tried];
      const lane = async (): Promise<void> => {
        for (let route = rest.pop(); route; route = rest.pop()) {
          const { method, path, body } = route;
          const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
          const init = { ...(body === undefined ? {} : { body }), headers, withinMs: LONGEST_MS };
          const answer = await asker.http.call(method, path, init).catch(noAnswer);
          count += 1;
          const fault = judge({ asker, route, answer });
          if (fault !== undefined)
            faults.push(`${asker.name} ${method} ${path} -> ${answer.code} (${fault}): ${answer.text.slice(0, 300)}`);
        }
      };
      await Promise.all(Array.from({ length: 8 }, lane));
    }),
  );
  process.stdout.write(`${count} rows in ${((performance.now() - begin) / 1000).toFixed(1)} s\n`);
  return faults;
}

/** So that an answer that never comes is a fault like others, with its name. */
function noAnswer(error: unknown): Answer {
  return { code: 599, headers: {}, text: `no answer: ${String(error)}`, body: {} as Answer['body'] };
}

/** Refused by who asks, as opposed to by what is asked: "cannot be used" is said of a key that would issue tokens, whatever its role. */
function isDenied({ code, text }: Answer): boolean {
  return code === 401 || (code === 403 && REFUSED.test(text));
}

function judgeAccess({ asker, route, answer }: Row): string | undefined {
  if (answer.code >= 500) return 'failed';
  if (!asker.isSignedIn) return answer.code === 401 ? undefined : 'let in without a token';
  const promised = isPromised(route.letter, asker, route.project);
  // What nobody may do need not be offered at all.
  if (!promised) return answer.code === 403 || (route.letter === '-' && answer.code === 405) ? undefined : 'allowed';
  return isDenied(answer) || answer.code === 429 ? 'refused' : undefined;
}

/** Names and uids of a Project in the answer to somebody who is no member, beyond what was asked with. */
function leakOf({ asker, route, answer }: Row): string | undefined {
  if (route.letter === 'G' && isPromised('G', asker, route.project)) return undefined;
  for (const [project, secrets] of bench.secrets) {
    if (asker.ranks['*'] !== undefined || asker.ranks[project] !== undefined) continue;
    const leak = secrets.find((secret) => answer.text.includes(secret) && !route.path.includes(secret));
    if (leak !== undefined) return `shows ${leak} of ${project}`;
  }
  return undefined;
}

describe('tenancy', () => {
  it('is as the table says, for everybody, over HTTP; no answer names what is not one’s own', async () => {
    const faults = await tryAll(askers, routes, (row) => judgeAccess(row) ?? leakOf(row));
    expect(faults).toEqual([]);
    expect(routes.length * askers.length).toBeGreaterThan(3_000);
  });

  it('is as it should be beside resources, too', async () => {
    expect(await tryAll(askers, bench.further, (row) => judgeAccess(row) ?? leakOf(row))).toEqual([]);
  });

  it('answers the same of what exists and of what does not', async () => {
    const texts = new Map<string, Set<string>>();
    const strangers = askers.filter(({ ranks }) => ranks['*'] === undefined);
    const foreign = routes.filter(({ project, letter }) => project !== undefined && project !== OWN && letter !== '-');
    const faults = await tryAll(strangers, foreign, ({ asker, route, answer }) => {
      if (isPromised(route.letter, asker, route.project) || asker.ranks[OTHER] !== undefined) return undefined;
      const { project = '', object = '' } = route;
      const text = withoutTrace(answer.text)
        .replaceAll(object || project, '?')
        .replaceAll(project, '?');
      const key = [asker.name, route.group, route.name, route.verb, object === '' ? '' : 'named'].join(' ');
      texts.set(key, (texts.get(key) ?? new Set()).add(`${answer.code} ${text}`));
      return undefined;
    });
    expect(faults).toEqual([]);
    expect(texts.size).toBeGreaterThan(500);
    expect([...texts].filter(([, answers]) => answers.size > 1)).toEqual([]);
  });

  it('lets nobody in without a token', async () => {
    const unique = [...new Map(routes.map((route) => [`${route.group} ${route.name} ${route.verb}`, route])).values()];
    const anonymous = { name: 'anonymous', isSignedIn: false, ranks: {}, http: bench.admin.as('') };
    expect(await tryAll([anonymous], [...unique, ...bench.further], (row) => judgeAccess(row) ?? leakOf(row))).toEqual(
      [],
    );
  });

  it('tells everybody what they may do, as the table has it', async () => {
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const reviews = routes.map((route): Route => {
      const [resource, subresource] = route.name.split('/');
      const { verb, group, version, object, project, namespaced } = route;
      const scope = namespaced && project !== undefined ? { namespace: project } : {};
      const attributes = { verb, group, version, resource, subresource, name: object, ...scope };
      return { ...route, method: 'POST', path, body: { spec: { resourceAttributes: attributes } } };
    });
    const faults = await tryAll(askers, reviews, ({ asker, route, answer }) => {
      const { allowed } = (answer.body as unknown as { status?: { allowed?: boolean } }).status ?? {};
      return allowed === isPromised(route.letter, asker, route.project) ? undefined : `says ${String(allowed)}`;
    });
    expect(faults).toEqual([]);
  });

  it('lists the rules of everybody, as the table has them', async () => {
    for (const asker of askers) {
      for (const namespace of [OWN, OTHER]) {
        const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
        const { body } = await asker.http.post(path, { spec: { namespace } });
        expect({ asker: asker.name, namespace, rules: ruleLines(body) }).toEqual({
          asker: asker.name,
          namespace,
          rules: promisedLines(asker, namespace),
        });
      }
    }
  });

  it('shows everybody the Projects they belong to', async () => {
    for (const { http, ranks } of askers) {
      const { body } = await http.get('/apis/lifecycle.crate.dev/v1alpha1/projects');
      const names = body.items.map(({ metadata }) => metadata.name);
      expect(names.sort()).toEqual([OTHER, OWN].filter((name) => ranks['*'] ?? ranks[name]));
    }
  });

  it('shows everybody the fleet of their Projects, and counts nothing of others', async () => {
    const queries = ['', `?project=${OTHER},${OWN}`, '?q=cluster&sort=name', '?watch=true&timeoutSeconds=1'];
    const faults: string[] = [];
    for (const asker of askers) {
      const own = [OTHER, OWN].filter((name) => asker.ranks['*'] ?? asker.ranks[name]);
      for (const query of queries) {
        const path = `/fleet/clusters${query}`;
        const answer = await asker.http.get(path);
        const page = fleetPageOf(answer.text);
        const route = { path } as Route;
        const leak = leakOf({ asker, route, answer });
        if (leak !== undefined) faults.push(`${asker.name} ${path}: ${leak}`);
        const seen = page.rows.map(({ namespace }) => namespace).sort();
        const counted = page.rollup.byProject.map(({ key }) => key).sort();
        expect([asker.name, query, answer.code, seen, counted, page.total]).toEqual([
          ...[asker.name, query, 200, own, own, own.length],
        ]);
      }
    }
    expect(faults).toEqual([]);
    expect((await bench.admin.as('').get('/fleet/clusters')).code).toBe(401);
  });

  it('tells everybody whether the platform is well, and how it is only to those who run it', async () => {
    const path = '/platform/status';
    const faults: string[] = [];
    for (const asker of askers) {
      const answer = await asker.http.get(path);
      const leak = leakOf({ asker, route: { path } as Route, answer });
      if (leak !== undefined) faults.push(`${asker.name}: ${leak}`);
      const told = [answer.code, ...Object.keys(answer.body).sort()];
      expect([asker.name, ...told]).toEqual([asker.name, 200, ...(asker.ranks['*'] === 'P' ? FULL : SUMMARY)]);
    }
    expect(faults).toEqual([]);
    expect((await bench.admin.as('').get(path)).code).toBe(401);
  });

  // Last, because it changes who is who.
  it('puts out who is no member any more, also of a watch that is open', async () => {
    const { http } = askers.find(({ name }) => name === 'grouped') ?? { http: bench.admin };
    const clusters = `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${OWN}/clusters`;
    // It would stay open for an hour.
    const events = await http.watch(`${clusters}?watch=true&timeoutSeconds=3600`, Infinity, async () => {
      await bench.setMembers(OWN, []);
      await eventually(async () => (await http.get(clusters)).code === 403, { timeoutMs: 60_000 });
    });
    expect(events.map(({ type }) => type)).not.toContain('ERROR');
  });
});

/** What everybody is told of the platform, and what is for those who run it. */
const SUMMARY = ['at', 'detail', 'health', 'kind', 'services', 'version'];
const FULL = [
  ...['at', 'certificates', 'clockSkewMs', 'detail', 'health', 'kind', 'nats', 'postgres', 'problems', 'services'],
  ...['upgrade', 'version', 'versions'],
];

/** A page, also as the first line of a watch. */
function fleetPageOf(text: string): FleetPage {
  const value = JSON.parse(text.split('\n')[0] ?? '') as
    FleetPage | { readonly type: 'PAGE'; readonly page: FleetPage };
  return 'page' in value ? value.page : value;
}

function ruleLines(body: unknown): readonly string[] {
  type Rule = { readonly verbs: string[]; readonly apiGroups: string[]; readonly resources: string[] };
  const { resourceRules } = (body as { status: { resourceRules: readonly Rule[] } }).status;
  return resourceRules
    .flatMap(({ verbs, apiGroups, resources }) => verbs.map((verb) => `${verb} ${apiGroups[0]}/${resources[0]}`))
    .filter((line) => !line.includes('selfsubject'))
    .sort();
}

/** Of what is offered. A rule of Projects is of any name, so it says what is true of all of them. */
function promisedLines(asker: Asker, namespace: string): readonly string[] {
  const lines = routes
    .filter(({ isOffered }) => isOffered)
    .filter(({ name, namespaced, project }) =>
      namespaced ? project === namespace : !name.startsWith('projects') || project === OWN || project === undefined,
    )
    .filter(({ name, letter }) => isPromised(letter, asker, name.startsWith('projects') ? undefined : namespace))
    .map(({ verb, group, name }) => `${verb} ${group}/${name}`);
  return [...new Set(lines)].sort();
}

/** Each request has a trace of its own, whatever it asks for. */
function withoutTrace(text: string): string {
  return text.replaceAll(/"traceId":"[0-9a-f]{32}"/g, '"traceId":"?"');
}
