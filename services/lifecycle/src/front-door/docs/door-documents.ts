import type { ServerDocument } from '@crate/resource-server';
import { AUDIT_DOCUMENT } from '../../audit/audit-document.js';
import { FLEET_DOCUMENT } from '../../fleet/fleet-document.js';
import { PLATFORM_DOCUMENT } from '../../platform-status/platform-document.js';
import { LOGIN_DOCUMENT } from '../login-document.js';
import { TERRAFORM_DOCUMENT } from '../terraform/terraform-document.js';

/** What the front door offers beside resources. */
export const DOOR_DOCUMENTS: readonly ServerDocument[] = [
  TERRAFORM_DOCUMENT,
  FLEET_DOCUMENT,
  PLATFORM_DOCUMENT,
  AUDIT_DOCUMENT,
  LOGIN_DOCUMENT,
];
