const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** A duration as its two greatest units, such as "2 d 3 h"; empty under a second. */
export function ageText(ms: number): string {
  const first = UNITS.findIndex(([, length]) => ms >= length);
  if (first < 0) return '';
  const [[unit, length] = UNITS[0], next] = UNITS.slice(first, first + 2);
  const whole = Math.floor(ms / length);
  const rest = next && next[0] !== 's' ? Math.floor((ms - whole * length) / next[1]) : 0;
  return rest > 0 && next ? `${whole} ${unit} ${rest} ${next[0]}` : `${whole} ${unit}`;
}
