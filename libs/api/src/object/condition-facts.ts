import type { ConditionFact } from './conditions.js';
import { storableText } from './storable-text.js';

/** What a condition states, apart from when: for a fact that stays as it was. */
export function factOf({ type, status, reason, message }: ConditionFact): ConditionFact {
  return { type, status, reason, message };
}

const LONGEST_MESSAGE = 300;

/** A text as a condition's message, or as a part of one: on one line, cut where it is too long to be read in a list, and without what cannot be stored. */
export function conditionMessage(text: string, longest = LONGEST_MESSAGE): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return storableText(line.length <= longest ? line : `${line.slice(0, longest - 1)}…`);
}
