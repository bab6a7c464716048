/** Texts that were typed and are not saved, with what they were made from; only in memory, as they may hold what is secret. */
const typed = new Map<string, unknown>();

/** What was typed there last and is not saved. */
export function typedAt<T>(place: string): T | undefined {
  return typed.get(place) as T | undefined;
}

/** Keeps it while its page is not in sight, as when the session ends; undefined once it is saved or given up. */
export function keepTyped(place: string, text: object | undefined): void {
  if (text === undefined) typed.delete(place);
  else typed.set(place, text);
}

/** Nothing of it is for the next person. */
export function forgetTyped(): void {
  typed.clear();
}
