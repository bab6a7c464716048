import { z } from 'zod';

/** What an Event is about. Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-reference/ */
export const objectReference = z.object({
  apiVersion: z.string().optional().describe('API version of the object'),
  kind: z.string().optional().describe('Kind of the object'),
  namespace: z.string().optional().describe('Namespace of the object'),
  name: z.string().optional().describe('Name of the object'),
  uid: z.string().optional().describe('Uid of the object: one of the same name that came later is another one'),
  resourceVersion: z.string().optional().describe('Version that the object was at'),
  fieldPath: z.string().optional().describe('Part of the object'),
});

/** What an Event is about. */
export type ObjectReference = z.output<typeof objectReference>;
