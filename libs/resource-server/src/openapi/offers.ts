import type { ResourceVerb } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';

/** Whether a kind offers a verb. */
export type Offers = (verb: ResourceVerb) => boolean;

/** The verbs of a kind; all, unless it says otherwise. */
export function offersOf({ verbs }: KindInfo): Offers {
  return (verb) => verbs === undefined || verbs.includes(verb);
}
