import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { forbiddenFor } from '@crate/resource-server';
import { Authenticator } from './authenticator.js';

const authenticator = new Authenticator(
  () => '',
  () => false,
  async (caller, attributes) => {
    const asked = 'resource' in attributes ? `${attributes.resource}/${attributes.name}` : '';
    const isOfVera = ['users/vera', 'groups/viewers'].includes(asked);
    const isOfRobot =
      'resource' in attributes && attributes.resource === 'serviceaccounts' && attributes.namespace === 'shop';
    const may = { admins: true, deputies: isOfVera, keepers: isOfRobot }[caller.groups[0] ?? ''] ?? false;
    if (!may) throw forbiddenFor(caller, attributes);
  },
);

function from(group: string, headers: IncomingMessage['headers']): IncomingMessage {
  const socket = { authorized: true, getPeerCertificate: () => ({ subject: { CN: 'ada', O: group } }) };
  return { headers, socket } as unknown as IncomingMessage;
}

const ask = async (group: string, headers: IncomingMessage['headers']): Promise<unknown> =>
  authenticator.authenticate(from(group, headers));

describe('Authenticator', () => {
  it('lets who may act as somebody else do so', async () => {
    const headers = { 'impersonate-user': 'vera', 'impersonate-group': 'viewers' };
    expect(await ask('admins', headers)).toEqual({ user: 'vera', groups: ['viewers', 'system:authenticated'] });
  });

  it('lets nobody else, instead of doing it as themselves', async () => {
    await expect(ask('team-a', { 'impersonate-user': 'vera' })).rejects.toMatchObject({
      code: 'Forbidden',
      message:
        'users "vera" is forbidden: User "ada" cannot impersonate resource "users" in API group "" at the cluster scope',
    });
    await expect(ask('deputies', { 'impersonate-user': 'otto' })).rejects.toMatchObject({ code: 'Forbidden' });
    expect(await ask('team-a', {})).toEqual({ user: 'ada', groups: ['team-a', 'system:authenticated'] });
  });

  it.each([
    { what: 'any group', headers: { 'impersonate-group': 'system:masters' }, name: 'groups "system:masters"' },
    {
      what: 'the last of two groups',
      headers: { 'impersonate-group': 'viewers, system:masters' },
      name: 'groups "system:masters"',
    },
    { what: 'a uid', headers: { 'impersonate-uid': '7' }, name: 'uids.authentication.k8s.io "7"' },
    { what: 'more', headers: { 'impersonate-extra-a': 'b' }, name: 'userextras.authentication.k8s.io "b"' },
  ])('gives who may act as one user no right to $what', async ({ headers, name }) => {
    const asked = ask('deputies', { 'impersonate-user': 'vera', ...headers });
    await expect(asked).rejects.toMatchObject({ code: 'Forbidden', message: expect.stringContaining(name) });
    expect(await ask('deputies', { 'impersonate-user': 'vera' })).toMatchObject({ user: 'vera' });
  });

  it('asks for the right to a service account where one is meant', async () => {
    const headers = { 'impersonate-user': 'system:serviceaccount:shop:robot' };
    expect(await ask('keepers', headers)).toMatchObject({ user: 'system:serviceaccount:shop:robot' });
    await expect(ask('deputies', headers)).rejects.toMatchObject({
      message: expect.stringMatching(/^serviceaccounts "robot" is forbidden: .* in the namespace "shop"$/),
    });
  });

  it.each(['impersonate-group', 'impersonate-uid', 'impersonate-extra-a'])(
    'is asked for nothing by %s without a user, instead of doing it as whoever asks',
    async (header) => {
      const refusal = { code: 'BadRequest', message: expect.stringContaining('Impersonate-User') };
      await expect(ask('admins', { [header]: 'x' })).rejects.toMatchObject(refusal);
    },
  );
});
