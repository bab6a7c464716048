import { hostname } from 'node:os';

/** Who holds the lock while a run of this process goes on. */
export const RUN_HOLDER = `cloud-mgmt@${hostname()}`;
