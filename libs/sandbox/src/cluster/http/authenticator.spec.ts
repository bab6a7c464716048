import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { forbiddenFor } from '@crate/resource-server';
import { Authenticator } from './authenticator.js';

const authenticator = new Authenticator(
  () => '',
  () => false,
  async (caller, attributes) => {
    if (!caller.groups.includes('admins')) throw forbiddenFor(caller, attributes);
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
    expect(await ask('team-a', {})).toEqual({ user: 'ada', groups: ['team-a', 'system:authenticated'] });
  });
});
