const DIGITS = /^-?\d+$/;

/** The number that a text says. With more digits than a number keeps it stays a text: the server objects to that, and takes no other number for it. Pure. */
export function typedNumber(text: string): number | string {
  return hasTooManyDigits(text) ? text : Number(text);
}

/** Whether a text is a whole number that a number does not keep to the last digit. Pure. */
export function hasTooManyDigits(text: unknown): boolean {
  return typeof text === 'string' && DIGITS.test(text) && String(BigInt(text)) !== String(Number(text));
}
