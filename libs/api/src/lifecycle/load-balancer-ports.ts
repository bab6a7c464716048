import { z } from 'zod';
import { repeats } from '../kind/repeats.js';
import { changing } from './stated-impact.js';

/** Of the API server, on the load balancer of every cluster. */
const API_PORT = 6443;
/** What Kubernetes gives Services of type NodePort. Source: https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport */
const NODE_PORTS = { from: 30_000, to: 32_767 };
/** A security group has 60 rules, and each of these takes one for each management network. */
const MOST_PORTS = 10;

const loadBalancerPort = z.strictObject({
  port: z
    .int()
    .min(1)
    .max(65_535)
    .refine((port) => port !== API_PORT, `must not be ${API_PORT}, which is that of the API server`)
    .meta(changing('Where the load balancer listens', 'replace')),
  nodePort: z
    .int()
    .min(NODE_PORTS.from)
    .max(NODE_PORTS.to)
    .meta(
      changing(
        'Port of all worker machines, that of a Service of type NodePort. Two ports exchange theirs in two changes, by way of a third',
        'replace',
      ),
    ),
});

/** A port of the load balancer of a cluster, besides that of its API. */
export type LoadBalancerPort = z.output<typeof loadBalancerPort>;

/** No two may have a port or, since the cloud refuses the same rule twice, a node port in common. */
export const loadBalancerPorts = z
  .array(loadBalancerPort)
  .max(MOST_PORTS)
  .superRefine((ports, context) => {
    for (const field of ['port', 'nodePort'] as const) {
      const values = ports.map(({ [field]: value }) => value);
      for (const index of repeats(values)) {
        const message = `must be unique, ${values[index]} stands twice`;
        context.addIssue({ code: 'custom', path: [index, field], message });
      }
    }
  })
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['port'] });
