import type { Dashboard } from '../model.js';
import { API } from './api.js';
import { FLEET } from './fleet.js';
import { NATS_POSTGRES } from './nats-postgres.js';
import { NOTIFICATIONS } from './notifications.js';
import { RECONCILE_ENGINE } from './reconcile-engine.js';
import { TERRAFORM } from './terraform.js';

/** All dashboards that are shipped. */
export const DASHBOARDS: readonly Dashboard[] = [FLEET, RECONCILE_ENGINE, API, TERRAFORM, NATS_POSTGRES, NOTIFICATIONS];
