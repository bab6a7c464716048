/** A class that computes most of what it gives. */
export const STANDARD = {
  parameters: {
    type: 'object',
    required: ['size'],
    properties: {
      size: { type: 'string', enum: ['small', 'large'], description: 'How big' },
      workers: { type: 'integer', minimum: 1, maximum: 10, default: 2 },
      team: { type: 'string', maxLength: 20 },
    },
  },
  template: {
    kubernetes: { version: 'v1.31.4' },
    controlPlane: { replicas: "${params.size == 'large' ? 3 : 1}" },
    nodePools: [
      {
        name: 'workers',
        replicas: '${params.workers}',
        machineType: "m5.${params.size == 'large' ? '2xlarge' : 'large'}",
        labels: { team: '${params.?team}' },
      },
    ],
    addOns: [{ name: 'docs' }],
  },
};

/** The same class with some of it exchanged. */
export function standard(
  template: Record<string, unknown> = {},
  rest: Record<string, unknown> = {},
): Record<string, unknown> {
  return { ...STANDARD, template: { ...STANDARD.template, ...template }, ...rest };
}

/** The same class with a newer version of Kubernetes. */
export function newer(rest: Record<string, unknown> = {}): Record<string, unknown> {
  return standard({ kubernetes: { version: 'v1.31.8' } }, rest);
}
