import { z } from 'zod';
import { column, AGE, defineCoreKind, type CoreObject } from './define-core-kind.js';
import { conditions, keyed } from './fields.js';
import { podSpec, podTemplate } from './pod-spec.js';

const containerStatus = z.looseObject({
  name: z.string(),
  ready: z.boolean().default(false),
  restartCount: z.int().default(0),
});

const body = z.strictObject({
  spec: podSpec,
  status: z
    .looseObject({
      phase: z.enum(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']).optional(),
      conditions,
      podIP: z.string().optional(),
      podIPs: z
        .array(z.looseObject({ ip: z.string() }))
        .meta(keyed('ip'))
        .optional(),
      hostIP: z.string().optional(),
      reason: z.string().optional(),
      message: z.string().optional(),
      startTime: z.string().optional(),
      qosClass: z.string().optional(),
      containerStatuses: z.array(containerStatus).optional(),
      initContainerStatuses: z.array(containerStatus).optional(),
    })
    .optional(),
});

/** Source of the columns of every core kind: https://github.com/kubernetes/kubernetes/blob/master/pkg/printers/internalversion/printers.go */
export const POD = defineCoreKind({
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  body,
  hasStatus: true,
  columns: [
    column('Ready', '.printed.ready'),
    column('Status', '.printed.reason'),
    column('Restarts', '.printed.restarts', 'integer'),
    AGE,
    column('IP', '.printed.ip', 'string', true),
    column('Node', '.printed.node', 'string', true),
    column('Nominated Node', '.printed.nominatedNode', 'string', true),
    column('Readiness Gates', '.printed.readinessGates', 'string', true),
  ],
  selectableFields: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'status.phase',
    'status.podIP',
  ],
  subresources: [
    {
      name: 'log',
      verbs: ['get'],
      parameters: [{ name: 'container', description: 'The one to show; all of them, unless it says one' }],
    },
  ],
});

export type Pod = CoreObject<typeof body>;

export const POD_TEMPLATE = defineCoreKind({
  kind: 'PodTemplate',
  plural: 'podtemplates',
  body: z.strictObject({ template: podTemplate.optional() }),
});
