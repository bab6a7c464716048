import { isIP } from 'node:net';
import { parseConfig, port, readEnvironment } from '@crate/config';
import { z } from 'zod';

const name = z
  .string()
  .refine((value) => isIP(value) !== 0 || /^[A-Za-z0-9.-]+$/.test(value), 'must be a DNS name or an IP address');

/** Settings of what prepares an installation, read from CRATE_ variables. */
export const installationConfig = z.object({
  installation: z.object({
    dir: z.string().default('/var/lib/crate').describe('Directory that everything is written below'),
    step: z
      .enum(['files', 'databases', 'keys', 'recovery'])
      .describe('files: keys, passwords, certificates; databases: roles and schemas; keys, recovery: tools'),
    apiUrl: z
      .url({ protocol: /^https$/ })
      .default('https://localhost:6440')
      .describe('Where people reach the API'),
    apiNames: z
      .array(name)
      .default(['localhost', '127.0.0.1'])
      .describe("Names and addresses of the API in its certificate, beside that of the URL and the service's own"),
    nats: z
      .object({
        host: name.default('nats').describe('Name that services find NATS under'),
        port: port().default(4222).describe('Port of NATS'),
      })
      .prefault({}),
    postgres: z
      .object({
        host: name.default('postgres').describe('Name that services find PostgreSQL under'),
        port: port().default(5432).describe('Port of PostgreSQL'),
        database: z.string().default('crate').describe('Database of all services'),
        user: z.string().default('crate').describe('User who may create roles'),
      })
      .prefault({}),
  }),
});

export type InstallationSettings = z.output<typeof installationConfig>['installation'];

/** Throws InvalidSpec that names every bad setting. */
export function readInstallationSettings(): InstallationSettings {
  return parseConfig(installationConfig, readEnvironment()).installation;
}
