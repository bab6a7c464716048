/** The tabs of a cluster, in their order; each is a path of its own. */
export const TABS = ['overview', 'tree', 'logs', 'plan', 'drift', 'nodes', 'add-ons', 'yaml', 'state'] as const;

export type TabName = (typeof TABS)[number];
