import type { Impact } from './impact.js';

/** Extension of a field's schema: what a change of it does to what runs. */
export const IMPACT_EXTENSION = 'x-crate-impact';
/** The same for a number that grows and for an element that is added to a list, where that does less. */
export const GROWING_EXTENSION = 'x-crate-impact-growing';

/** What a field of a spec is documented with. */
export type StatedImpact = {
  readonly description: string;
  readonly [IMPACT_EXTENSION]: Impact;
  readonly [GROWING_EXTENSION]?: Impact;
};

/** Describes a field together with what a change of it does; `kubectl explain` shows both. */
export function changing(description: string, impact: Impact, growing?: Impact): StatedImpact {
  const more = growing === undefined ? '' : `, of more: ${growing}`;
  return {
    description: `${description}. Impact of a change: ${impact}${more}`,
    [IMPACT_EXTENSION]: impact,
    ...(growing === undefined ? {} : { [GROWING_EXTENSION]: growing }),
  };
}
