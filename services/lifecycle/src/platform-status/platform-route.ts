import { PLATFORM_STATUS_PATH, type PlatformStatus } from '@crate/api';
import { badRequest, PlatformError } from '@crate/errors';
import type { ExtraRoute } from '@crate/resource-server';
import { isPlatformAdmin } from '../access/caller-role.js';
import { summaryOf } from './compose-status.js';

/** Read by what writes the answer. */
const PARAMETERS = ['pretty'];

/** How the platform is: all of it for those who run it, and for everybody else who signed in whether its services are well. */
export function platformRoute(read: () => Promise<PlatformStatus>): ExtraRoute {
  return {
    matches: (_method, path) => path === PLATFORM_STATUS_PATH,
    handle: async ({ method, query, context, respond, response }) => {
      if (method !== 'GET') {
        response.setHeader('allow', 'GET');
        throw new PlatformError('MethodNotAllowed', `${method} is not offered: how the platform is can be read only`);
      }
      const unknown = [...query.keys()].find((name) => !PARAMETERS.includes(name));
      if (unknown !== undefined)
        throw badRequest(`unknown parameter ${unknown}: none is taken but ${PARAMETERS.join()}`);
      const status = await read();
      respond.object(200, isPlatformAdmin(context.caller) ? status : summaryOf(status));
    },
  };
}
