import { DEFAULT_MAX_PAYLOAD_BYTES, natsUser, SERVICES } from '@crate/auth';
import { passwordVariable } from '../values/nats-values.js';

/** What a nats-server of one's own includes: the call matrix, with passwords from its environment. */
export function natsAuthorization(): string {
  const users = SERVICES.map((service) => {
    const { password, ...user } = natsUser(service, `$${passwordVariable(service)}`);
    // A variable stands without quotes; all else is JSON, which nats-server reads.
    return `    ${JSON.stringify(user).replace(/^\{/, `{ password: ${String(password)}, `)}`;
  });
  return [
    '# The call matrix as users of NATS: include "authorization.conf" in the configuration of your nats-server.',
    `# Passwords come from its environment: ${SERVICES.map(passwordVariable).join(', ')}.`,
    `max_payload: ${DEFAULT_MAX_PAYLOAD_BYTES}`,
    'authorization {',
    '  users: [',
    ...users,
    '  ]',
    '}',
    '',
  ].join('\n');
}
