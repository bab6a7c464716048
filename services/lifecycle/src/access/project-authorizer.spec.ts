import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '@crate/resource-client';
import type { AuthorizationAttributes } from '@crate/resource-server';
import { aProject, apiKey, person } from '../testing/a-project.js';
import { DISCOVERY_PATHS, ProjectAuthorizer } from './project-authorizer.js';
import { ProjectMembers } from './project-members.js';

const LIFECYCLE = { group: 'lifecycle.crate.dev', version: 'v1alpha1' };

let nowMs: number;
let members: ProjectMembers;
let authorizer: ProjectAuthorizer;
beforeEach(() => {
  nowMs = 0;
  members = new ProjectMembers(() => nowMs);
  members.replace([
    aProject('team-a', {
      members: [
        { kind: 'User', name: 'vera', role: 'viewer' },
        { kind: 'User', name: 'otto', role: 'operator' },
        { kind: 'User', name: 'anna', role: 'admin' },
        { kind: 'Group', name: 'team-a-ops', role: 'operator' },
        { kind: 'Group', name: 'everybody', role: 'viewer' },
      ],
    }),
    aProject('team-b', { members: [{ kind: 'User', name: 'beth', role: 'admin' }] }),
  ]);
  members.confirm(0);
  authorizer = new ProjectAuthorizer(members);
});

function clusters(verb: string, namespace?: string, subresource?: string): AuthorizationAttributes {
  return {
    ...LIFECYCLE,
    verb,
    resource: 'clusters',
    ...(namespace === undefined ? {} : { namespace }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function projects(verb: string, name?: string): AuthorizationAttributes {
  return { ...LIFECYCLE, verb, resource: 'projects', ...(name === undefined ? {} : { name }) };
}

describe('ProjectAuthorizer', () => {
  const admin = person('ada', 'platform-admin');
  const rows: { reason: string; caller: Caller; given: AuthorizationAttributes; want: boolean }[] = [
    { reason: 'viewer lists', caller: person('vera'), given: clusters('list', 'team-a'), want: true },
    { reason: 'viewer creates', caller: person('vera'), given: clusters('create', 'team-a'), want: false },
    {
      reason: 'viewer reads a kubeconfig',
      caller: person('vera'),
      given: clusters('get', 'team-a', 'kubeconfig'),
      want: false,
    },
    {
      reason: 'operator reads a kubeconfig',
      caller: person('otto'),
      given: clusters('get', 'team-a', 'kubeconfig'),
      want: true,
    },
    {
      reason: 'operator by group',
      caller: person('zoe', 'team-a-ops'),
      given: clusters('create', 'team-a'),
      want: true,
    },
    {
      reason: 'the highest of several roles counts',
      caller: person('vera', 'everybody', 'team-a-ops'),
      given: clusters('delete', 'team-a'),
      want: true,
    },
    {
      reason: 'a user named like a group',
      caller: person('team-a-ops'),
      given: clusters('list', 'team-a'),
      want: false,
    },
    {
      reason: 'a group named like a user',
      caller: person('zoe', 'anna'),
      given: clusters('list', 'team-a'),
      want: false,
    },
    { reason: 'admin elsewhere', caller: person('anna'), given: clusters('get', 'team-b'), want: false },
    { reason: 'a Project that does not exist', caller: person('anna'), given: clusters('get', 'team-x'), want: false },
    { reason: 'all namespaces', caller: person('anna'), given: clusters('list'), want: false },
    { reason: 'all namespaces of the platform', caller: admin, given: clusters('list'), want: true },
    { reason: 'own Project', caller: person('vera'), given: projects('get', 'team-a'), want: true },
    { reason: 'another Project', caller: person('vera'), given: projects('get', 'team-b'), want: false },
    { reason: 'list of own Projects', caller: person('zoe'), given: projects('list'), want: true },
    { reason: 'Project admin edits it', caller: person('anna'), given: projects('patch', 'team-a'), want: true },
    { reason: 'operator edits it', caller: person('otto'), given: projects('patch', 'team-a'), want: false },
    { reason: 'Project admin deletes it', caller: person('anna'), given: projects('delete', 'team-a'), want: false },
    { reason: 'Project admin deletes all', caller: person('anna'), given: projects('deletecollection'), want: false },
    {
      reason: 'key in its Project',
      caller: apiKey('team-a', 'operator'),
      given: clusters('create', 'team-a'),
      want: true,
    },
    {
      reason: 'key in another Project',
      caller: apiKey('team-a', 'admin'),
      given: clusters('get', 'team-b'),
      want: false,
    },
    {
      reason: 'key above its role',
      caller: apiKey('team-a', 'viewer'),
      given: clusters('create', 'team-a'),
      want: false,
    },
    {
      reason: 'key of a role that does not exist',
      caller: apiKey('team-a', 'root'),
      given: clusters('get', 'team-a'),
      want: false,
    },
    {
      reason: 'key of a Project that is gone',
      caller: apiKey('team-x', 'admin'),
      given: clusters('get', 'team-x'),
      want: false,
    },
    {
      reason: 'a person who says to be a key',
      caller: { ...person('eve'), extra: apiKey('team-a', 'admin').extra ?? {} },
      given: clusters('get', 'team-a'),
      want: false,
    },
    { reason: 'status by the platform', caller: admin, given: clusters('patch', 'team-a', 'status'), want: false },
    {
      reason: 'unknown kind',
      caller: admin,
      given: { ...LIFECYCLE, verb: 'get', resource: 'toys', namespace: 'x' },
      want: true,
    },
    {
      reason: 'unknown kind in own Project',
      caller: person('anna'),
      given: { ...LIFECYCLE, verb: 'get', resource: 'toys', namespace: 'team-a' },
      want: false,
    },
    { reason: 'discovery', caller: person('zoe'), given: { verb: 'get', path: '/apis' }, want: true },
    {
      reason: 'what only begins alike',
      caller: person('zoe'),
      given: { verb: 'get', path: '/apisecret' },
      want: false,
    },
    { reason: 'a path of the platform', caller: admin, given: { verb: 'get', path: '/metrics' }, want: true },
  ];

  it.each(rows)('$reason: $want', ({ caller, given, want }) => {
    expect(authorizer.decide(caller, given).allowed).toBe(want);
  });

  it('tells the paths that everyone may read', () => {
    expect(DISCOVERY_PATHS).toEqual(expect.arrayContaining(['/version', '/apis', '/apis/*', '/fleet']));
    const mayRead = (path: string): boolean => authorizer.decide(person('zoe'), { verb: 'get', path }).allowed;
    expect(DISCOVERY_PATHS.filter((path) => !mayRead(path))).toEqual([]);
    expect(authorizer.decide(person('zoe'), { verb: '*', path: '*' }).allowed).toBe(false);
  });

  it('says the same of what exists and of what does not', () => {
    const [real, made] = ['team-b', 'team-x'].map((name) => authorizer.decide(person('anna'), clusters('get', name)));
    expect(real?.reason.replace('team-b', 'team-x')).toBe(made?.reason);
  });

  it('takes roles away at once', () => {
    members.set(aProject('team-a'));
    expect(authorizer.decide(person('anna'), clusters('get', 'team-a')).allowed).toBe(false);
    members.remove('team-b');
    expect(authorizer.decide(person('beth'), clusters('get', 'team-b')).allowed).toBe(false);
  });

  it('judges nobody by what is too old, but lets the platform act', () => {
    nowMs = 20_000;
    expect(() => authorizer.decide(person('anna'), clusters('get', 'team-a'))).toThrow(
      expect.objectContaining({ code: 'Unavailable' }),
    );
    expect(authorizer.decide(admin, clusters('get', 'team-a')).allowed).toBe(true);
    members.confirm(19_000);
    expect(authorizer.decide(person('anna'), clusters('get', 'team-a')).allowed).toBe(true);
  });

  it('knows nobody before the first list', () => {
    const early = new ProjectAuthorizer(new ProjectMembers());
    expect(() => early.decide(person('anna'), clusters('get', 'team-a'))).toThrow();
  });
});
