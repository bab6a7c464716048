import { COMPONENT, UPGRADE_PLAN_PATH, type UpgradePlan } from '@crate/api';
import { badRequest, forbidden, PlatformError } from '@crate/errors';
import type { ExtraRoute } from '@crate/resource-server';
import { valid } from 'semver';
import { isPlatformAdmin } from '../access/caller-role.js';

/** What would be done to come to a version; undefined: the newest one. */
export type PlanUpgrade = (to: string | undefined) => Promise<UpgradePlan>;

/** `pretty` is read by what writes the answer. */
const PARAMETERS = ['to', 'pretty'];

/** What an upgrade of the platform would lead to, for those who run it. Nothing is changed by asking. */
export function upgradePlanRoute(plan: PlanUpgrade): ExtraRoute {
  return {
    matches: (_method, path) => path === UPGRADE_PLAN_PATH,
    handle: async ({ method, query, context, respond, response }) => {
      if (method !== 'GET') {
        response.setHeader('allow', 'GET');
        throw new PlatformError('MethodNotAllowed', `${method} is not offered: a version is set in the components`);
      }
      if (!isPlatformAdmin(context.caller)) throw notForYou();
      respond.object(200, await plan(versionIn(query)));
    },
  };
}

function versionIn(query: URLSearchParams): string | undefined {
  const unknown = [...query.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined)
    throw badRequest(`unknown parameter ${unknown}: none is taken but ${PARAMETERS.join(', ')}`);
  const to = query.get('to') ?? undefined;
  if (to === undefined || valid(to) === to) return to;
  throw badRequest(`to: "${to}" is no semantic version such as 1.4.2`);
}

function notForYou(): PlatformError {
  const message = 'what an upgrade of the platform leads to is told to platform administrators only';
  return forbidden(message, { group: COMPONENT.group, kind: COMPONENT.plural });
}
