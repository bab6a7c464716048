import { apiOf } from '../client/context.js';
import type { ApiOptions } from '../commands/api-options.js';
import { upgradePlatform, type UpgradeOptions } from '../platform/upgrade-platform.js';

export async function runUpgrade(options: ApiOptions & UpgradeOptions): Promise<void> {
  await upgradePlatform(await apiOf(options), options);
}
