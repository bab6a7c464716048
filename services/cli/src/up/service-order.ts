/** The platform's services in the order they start; lifecycle's front door comes last, when there is something behind it. */
export const SERVICE_ORDER = ['policy-mgmt', 'cloud-mgmt', 'cluster-mgmt', 'lifecycle'] as const;
export type LocalService = (typeof SERVICE_ORDER)[number];
