import { z } from 'zod';
import { dnsLabel, ipv4Cidr, localRef, statusBase } from '../kind/fields.js';
import { CLOUD_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, DRIFT_SUBRESOURCE, LOGS_SUBRESOURCE, PLAN_SUBRESOURCE, type ObjectOf } from '../kind/kind.js';
import { failureSchema } from '../lifecycle/failure.js';
import { impact } from '../lifecycle/impact.js';
import { loadBalancerPorts } from '../lifecycle/load-balancer-ports.js';
import { deletionStatus } from './deletion.js';
import { driftSpec, driftStatus } from './drift.js';
import { RESOURCES_SUBRESOURCE } from './infrastructure-resources.js';
import { STATE_SUBRESOURCES } from './state-version.js';

const machineGroup = z.strictObject({
  name: dnsLabel.describe('Pool name; the control plane is "control-plane"'),
  role: z.enum(['control-plane', 'worker']),
  replicas: z.int().min(0),
  machineType: z.string(),
  diskGiB: z.int().min(1),
});

const machine = z.object({
  name: z.string().describe('<cluster>-<group>-<index>'),
  group: z.string(),
  role: z.enum(['control-plane', 'worker']),
  instanceId: z.string(),
  privateIp: z.string(),
  zone: z.string(),
});

const outputs = z.object({
  vpcId: z.string(),
  apiHost: z.string().describe('DNS name or address of the load balancer of the API server'),
  apiPort: z.int(),
  bastionHost: z.string().describe('Address that SSH to the machines goes through'),
  egressAddresses: z
    .array(z.string())
    .optional()
    .describe('Addresses that whatever runs in the cluster comes from, seen from outside of its network'),
  machines: z.array(machine),
});

const stateLock = z.object({
  holder: z.string().describe('Service and host of a run, or the person who locked it by hand'),
  operation: z.string().describe('What it is held for, such as apply or OperationTypePlan'),
  since: z.string(),
  state: z
    .enum(['live', 'orphaned'])
    .describe(
      'orphaned: the process of a run is gone, and the next pass takes over; or nothing was heard of a person for an hour, and somebody has to unlock',
    ),
  lastSeen: z.string().optional().describe("When a person's Terraform was last heard of"),
  epoch: z.string().optional().describe('Lease epoch of a run'),
});

const approvedPlan = z.strictObject({
  name: z.string().describe('Plan that was approved'),
  digest: z.string().describe('Digest of its planned changes'),
  destroy: z
    .literal(true)
    .optional()
    .describe('What was approved is to take everything away; changes are not held to it'),
});

const approvedPlanStatus = approvedPlan.extend({
  begunAt: z.string().describe('When the plan was begun, in UTC'),
  resources: z.array(z.string()).describe('Addresses it touches: what is left of it after an interruption'),
  steps: z
    .array(z.string())
    .optional()
    .describe(
      'What it does to each, such as "update aws_instance.demo-workers-0"; absent in what an older release has begun',
    ),
  executedAt: z.string().optional().describe('When all of it was done, in UTC: from then on it holds nothing back'),
});

/** The approved plan, once it was begun. */
export type ApprovedPlanStatus = z.output<typeof approvedPlanStatus>;

/** What an approved plan was begun for: the spec, and the stack that the release of then made of it. */
export type ApprovedStack = NonNullable<InfrastructureStatus['approvedStack']>;

/** Who works on the Terraform state of an Infrastructure. */
export type StateLock = z.output<typeof stateLock>;

/** A machine that the infrastructure holds. */
export type Machine = z.output<typeof machine>;
/** What the stack publishes once applied. */
export type InfrastructureOutputs = z.output<typeof outputs>;

/** Why an Infrastructure is not Ready that is applied and published in full: machines of it stand still. */
export const MACHINE_STOPPED = 'MachineStopped';

/** The cloud resources of one cluster, kept by Terraform. */
export const INFRASTRUCTURE = defineKind({
  group: CLOUD_GROUP,
  version: V1ALPHA1,
  kind: 'Infrastructure',
  plural: 'infrastructures',
  shortNames: ['infra'],
  categories: ['crate'],
  namespaced: true,
  description: 'The cloud resources of one cluster: network, machines, load balancer.',
  example: {
    accountRef: { name: 'main' },
    clusterName: 'demo',
    clusterUid: '7b0f9a86-3c1e-4f0a-9a53-0f6f8f8f5d11',
    region: 'us-east-1',
    network: { vpcCidr: '10.20.0.0/16', availabilityZones: 3 },
    machineGroups: [{ name: 'workers', role: 'worker', replicas: 3, machineType: 'm5.xlarge', diskGiB: 50 }],
    sshPublicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA',
  },
  spec: z.strictObject({
    accountRef: localRef,
    clusterName: dnsLabel,
    clusterUid: z.string().describe('Owner tag on every cloud resource'),
    region: z.string(),
    network: z.strictObject({
      vpcCidr: ipv4Cidr,
      availabilityZones: z.int().min(1).max(3),
      loadBalancerPorts: loadBalancerPorts.optional().describe('Besides that of the API; absent: none'),
    }),
    machineGroups: z
      .array(machineGroup)
      .min(1)
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
    sshPublicKey: z.string().regex(/^(ssh-|ecdsa-)/, 'must be an OpenSSH public key'),
    drift: driftSpec.prefault({}),
    maxImpact: impact.optional().describe('A plan with more impact is refused; absent: no ceiling'),
    approvedPlan: approvedPlan
      .optional()
      .describe('Only a plan with this digest is applied, once; or only this one, when everything is to go'),
  }),
  status: statusBase.extend({
    outputs: outputs.optional(),
    cloudId: z
      .string()
      .optional()
      .describe(
        'What controllers in the cluster know as theirs in the cloud is tagged `kubernetes.io/cluster/<cloudId>`',
      ),
    failure: failureSchema.optional(),
    stateSerial: z.int().optional().describe('Serial of the newest stored Terraform state'),
    appliedHash: z.string().optional().describe('Hash of the synthesised stack that was last applied in full'),
    appliedSettings: z
      .string()
      .optional()
      .describe('Hash of what account and configuration asked for in the stack that was last applied in full'),
    appliedDisks: z
      .array(z.strictObject({ name: z.string().describe('Machine group'), diskGiB: z.int() }))
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
      .optional()
      .describe('Disks of the machines as they were last applied in full; disks only grow'),
    lock: stateLock.optional().describe('Who works on the state; absent: nobody'),
    approvedPlan: approvedPlanStatus.optional().describe('The approved plan that was begun'),
    // Beside the plan, which an older release takes as it knows it, or not at all.
    approvedStack: z
      .object({
        generation: z.int(),
        hash: z.string(),
        settings: z.string().optional().describe('As appliedSettings; absent: begun by an older release'),
      })
      .optional()
      .describe('What the approved plan was begun for: generation, and hash of the stack'),
    drift: driftStatus.optional(),
    deletion: deletionStatus.optional(),
  }),
  printerColumns: [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Region', type: 'string', jsonPath: '.spec.region' },
    { name: 'Progress', type: 'string', jsonPath: '.status.progress.message' },
    { name: 'Locked By', type: 'string', jsonPath: '.status.lock.holder', priority: 1 },
    {
      name: 'In-sync',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="InSync")].status',
      priority: 1,
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  subresources: [LOGS_SUBRESOURCE, PLAN_SUBRESOURCE, DRIFT_SUBRESOURCE, RESOURCES_SUBRESOURCE, ...STATE_SUBRESOURCES],
});

/** Made by lifecycle for a Cluster; its own uid is the owner tag of all that it has at the cloud. */
export type Infrastructure = ObjectOf<typeof INFRASTRUCTURE>;
/** As stored: defaults are filled in. Machines are named `<cluster>-<group>-<index>`. */
export type InfrastructureSpec = Infrastructure['spec'];
/** `outputs` are those of the last run that applied everything, also while a later one is under way. */
export type InfrastructureStatus = NonNullable<Infrastructure['status']>;
