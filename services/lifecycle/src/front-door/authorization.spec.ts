import { describe, expect, it } from '@jest/globals';
import { CLUSTER, type ApiKey, type ProjectRole } from '@crate/api';
import { ProjectAuthorizer } from '../access/project-authorizer.js';
import { roleIn } from '../access/caller-role.js';
import { callerOfKey } from '../api-key/api-key.caller.js';
import { anApiKey } from '../testing/an-api-key.js';
import { doorAuthorization } from './authorization.js';

describe('the door', () => {
  const nobody = { users: new Map<string, ProjectRole>(), groups: new Map<string, ProjectRole>() };
  const authorize = doorAuthorization(
    new ProjectAuthorizer({ roleOf: (caller, project) => roleIn(project, nobody, caller) }),
  );
  const { group, version, plural: resource } = CLUSTER;
  const attributes = { group, version, resource, namespace: 'team-a', name: 'demo' };

  it.each<{ scope: ApiKey['spec']['scope']; may: readonly string[] }>([
    { scope: { verbs: ['get', 'list', 'create'] }, may: ['create'] },
    { scope: { resources: ['plans', 'plans/approve'] }, may: [] },
    { scope: { resources: ['clusters'], verbs: ['patch'] }, may: ['patch'] },
    { scope: undefined, may: ['create', 'patch', 'delete'] },
  ])('lets a key with the scope $scope do $may to clusters', async ({ scope, may }) => {
    const caller = callerOfKey(anApiKey({ role: 'operator', ...(scope ? { scope } : {}) }), 'id');
    for (const verb of ['create', 'patch', 'delete']) {
      const asked = authorize(caller, { ...attributes, verb });
      await (may.includes(verb) ? asked : expect(asked).rejects.toMatchObject({ code: 'Forbidden' }));
    }
  });

  it('lets nobody write a status', async () => {
    const caller = { user: 'ada', groups: ['platform-admin'] };
    await expect(authorize(caller, { ...attributes, verb: 'patch', subresource: 'status' })).rejects.toMatchObject({
      code: 'Forbidden',
    });
  });
});
