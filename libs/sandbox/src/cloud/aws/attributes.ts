import { chosen, computed, optional, type Attribute } from '../terraform/schema.js';

type Attributes = Readonly<Record<string, Attribute>>;

/** Attributes of everything that has tags. */
export const TAGS: Attributes = {
  tags: optional(['map', 'string']),
  tags_all: chosen(['map', 'string']),
};

/** Attributes of everything that lives in a region. */
export const REGIONAL: Attributes = {
  id: computed('string'),
  region: chosen('string', { forceNew: true }),
};

/** Attributes of a regional, tagged thing with an ARN. */
export const REGIONAL_TAGGED: Attributes = { ...REGIONAL, ...TAGS, arn: computed('string') };
