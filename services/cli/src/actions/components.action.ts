import { apiOf } from '../client/context.js';
import type { ApiOptions } from '../commands/api-options.js';
import { showComponents, type ShowOptions } from '../components/show-components.js';

export async function runComponents(options: ApiOptions & ShowOptions): Promise<void> {
  await showComponents(await apiOf(options), options);
}
