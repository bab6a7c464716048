/** A time of the world as a field for dates and times has it: local, to the minute; empty for what is no time. Pure. */
export function toLocal(time = ''): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return '';
  const date = [padded(at.getFullYear(), 4), padded(at.getMonth() + 1), padded(at.getDate())];
  return `${date.join('-')}T${padded(at.getHours())}:${padded(at.getMinutes())}`;
}

/** The same back; empty for what is not filled in. Pure. */
export function fromLocal(value: string): string {
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}

function padded(value: number, digits = 2): string {
  return String(value).padStart(digits, '0');
}
