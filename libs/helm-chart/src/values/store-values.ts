import { z } from 'zod';
import { anyMap, name, networks, quantity, strings } from './fields.js';

/** How services reach PostgreSQL, wherever it is. */
export const databaseValues = z
  .strictObject({
    poolSize: z.int().min(2).max(100).default(10).describe('Connections of one pod, which takes up to four more'),
    caSecret: name().describe(
      'Secret with ca.crt of the server, for sslrootcert=/run/crate/database-ca/ca.crt; empty: none, and with bundled PostgreSQL its own',
    ),
    networks: networks([]).describe('Networks of the servers, for NetworkPolicies; empty: anywhere'),
    port: z.int().min(1).max(65_535).default(5432).describe('Port of these, for NetworkPolicies: that of the URLs'),
  })
  .describe('PostgreSQL 15 or newer. Its URLs are in the Secrets of the services');

/** A PostgreSQL that the CloudNativePG operator runs. */
export const postgresqlValues = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Has the CloudNativePG operator, which must be there, run a server'),
    instances: z.int().min(1).max(9).default(3),
    imageName: z.string().default('').describe("Image of the server; empty: the operator's default"),
    operatorNamespace: z.string().default('cnpg-system').describe('Where the operator runs, for NetworkPolicies'),
    storage: z.strictObject({ size: quantity('20Gi'), storageClass: z.string().default('') }),
    walStorage: z.strictObject({ size: quantity('10Gi'), storageClass: z.string().default('') }),
    resources: anyMap({ requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '2Gi' } }),
    parameters: strings({ max_connections: '400' }).describe('Settings of postgresql.conf'),
    maxConnectionsPerService: z
      .int()
      .min(10)
      .default(90)
      .describe('So that none can take them all; each pod takes database.poolSize and four more'),
    spec: anyMap().describe('Further members of the Cluster, such as backup and plugins'),
  })
  .describe('Bundled PostgreSQL');

/** How services reach NATS, wherever it is. */
export const messagingValues = z
  .strictObject({
    url: z
      .string()
      .regex(/^((nats|tls):\/\/.+)?$/)
      .default('')
      .describe('URL of NATS; with bundled NATS it is found out'),
    tls: z.boolean().default(true).describe('With bundled NATS: by TLS'),
    tlsSecret: name().describe(
      'Secret with ca.crt of the server, and with bundled NATS its tls.crt and tls.key; empty: <fullname>-nats-tls; none where the URL is nats://',
    ),
    clientCertificates: z
      .boolean()
      .default(false)
      .describe('Shows the server tls.crt and tls.key of the Secret <fullname>-<service>-nats-client'),
    networks: networks([]).describe('Networks of the servers, for NetworkPolicies; empty: anywhere'),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .default(0)
      .describe(
        'Port of these, for NetworkPolicies; 0: what the URL names. Of a Service of the same cluster that of its pods',
      ),
  })
  .describe('NATS 2.9 or newer; users and their permissions: files/nats/authorization.conf');
