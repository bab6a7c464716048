import { z } from 'zod';
import { defineKind, type ObjectOf } from '../kind/kind.js';
import { localRef, statusBase } from '../kind/fields.js';
import { LIFECYCLE_GROUP, V1ALPHA1 } from '../kind/groups.js';

/** What members of a Project may do, each including the one before. */
export const PROJECT_ROLES = ['viewer', 'operator', 'admin'] as const;

/** In the order of `PROJECT_ROLES`: each may do what the one before may. */
export type ProjectRole = (typeof PROJECT_ROLES)[number];

const member = z.strictObject({
  kind: z.enum(['User', 'Group']).describe('Whether the name is of a person or of a group'),
  name: z
    .string()
    .min(1)
    .max(253)
    .refine((name) => !name.startsWith('system:'), 'must not begin with "system:", which names the platform’s own')
    .describe('Name as the identity provider gives it'),
  role: z
    .enum(PROJECT_ROLES)
    .describe('viewer reads; operator also changes clusters; admin also changes accounts, keys and protection'),
});

const quotas = z.strictObject({
  clusters: z.int().min(0).optional().describe('Most clusters'),
  nodes: z.int().min(0).optional().describe('Most machines, control planes included'),
  vcpu: z.int().min(0).optional().describe('Most virtual CPUs of all machines'),
});

const allowList = z.array(z.string().min(1).max(253)).max(200);

const allowed = z.strictObject({
  accounts: allowList
    .optional()
    .describe('CloudAccounts that clusters may use; `*` stands for any text, here and in the other lists'),
  regions: allowList.optional().describe('Regions; `eu-*` allows all that begin so'),
  machineTypes: allowList.optional().describe('Machine types; `m5.*` allows a family'),
  classes: allowList.optional().describe('ClusterClasses; `team-*` allows all that begin so'),
});

const defaults = z.strictObject({
  accountRef: localRef.optional().describe('CloudAccount of clusters that name none'),
  region: z.string().optional().describe('Region of clusters that name none'),
  classRef: localRef.optional().describe('ClusterClass of clusters that name none; `classRef: null` does without'),
});

const usage = z.object({ clusters: z.int(), nodes: z.int(), vcpu: z.int() });

/** A Project is a tenant: its name is the namespace of everything the team owns. */
export const PROJECT = defineKind({
  group: LIFECYCLE_GROUP,
  version: V1ALPHA1,
  kind: 'Project',
  plural: 'projects',
  shortNames: ['proj'],
  categories: ['crate'],
  namespaced: false,
  description: "A team's tenancy. Its name is the namespace of everything the team owns.",
  example: {
    displayName: 'Team A',
    members: [
      { kind: 'Group', name: 'team-a', role: 'operator' },
      { kind: 'User', name: 'ada@example.com', role: 'admin' },
    ],
    quotas: { clusters: 5, nodes: 50, vcpu: 200 },
    allowed: { regions: ['us-east-1'], machineTypes: ['m5.*'] },
    defaults: { accountRef: { name: 'main' }, region: 'us-east-1' },
  },
  spec: z
    .strictObject({
      displayName: z.string().max(100).optional().describe('Name shown to people'),
      description: z.string().max(1000).optional().describe('What the team uses it for'),
      members: z
        .array(member)
        .max(500)
        .default([])
        .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['kind', 'name'] })
        .describe('Who may do what here'),
      quotas: quotas.prefault({}).describe('Limits, checked when a cluster is created or grows; absent: none'),
      allowed: allowed.prefault({}).describe('What clusters may use; an absent list allows all'),
      planApproval: z
        .enum(['AnyOperator', 'AnotherPerson'])
        .optional()
        .describe('Who may approve a Plan: any operator, or another one than who made it; absent: any operator'),
      defaults: defaults.prefault({}).describe('Filled in where a new cluster is silent'),
    })
    .prefault({}),
  status: statusBase.extend({
    usage: usage.optional().describe('What the clusters of the Project take up, as quotas count it'),
  }),
  printerColumns: [
    { name: 'Display Name', type: 'string', jsonPath: '.spec.displayName' },
    { name: 'Clusters', type: 'integer', jsonPath: '.status.usage.clusters' },
    { name: 'Nodes', type: 'integer', jsonPath: '.status.usage.nodes' },
    { name: 'vCPU', type: 'integer', jsonPath: '.status.usage.vcpu' },
    { name: 'Max Clusters', type: 'integer', jsonPath: '.spec.quotas.clusters', priority: 1 },
    { name: 'Max Nodes', type: 'integer', jsonPath: '.spec.quotas.nodes', priority: 1 },
    { name: 'Max vCPU', type: 'integer', jsonPath: '.spec.quotas.vcpu', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

/** Its name is the namespace of what the team owns; it belongs to none itself. */
export type Project = ObjectOf<typeof PROJECT>;
/** For people to read: quotas are checked against the clusters themselves. */
export type ProjectStatus = NonNullable<Project['status']>;
