import type { ConditionFact } from './conditions.js';

/** What a condition states, apart from when: for a fact that stays as it was. */
export function factOf({ type, status, reason, message }: ConditionFact): ConditionFact {
  return { type, status, reason, message };
}

const LONGEST_MESSAGE = 300;

/** A text as a condition's message: on one line, and cut where it is too long to be read in a list. */
export function conditionMessage(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= LONGEST_MESSAGE ? line : `${line.slice(0, LONGEST_MESSAGE - 1)}…`;
}
