/** Times of a log, which have microseconds and are UTC, as people read them. */
export interface LogTimes {
  /** The time of day; empty for a line that has none. */
  clockOf(time: string): string;
  /** With its date. */
  momentOf(time: string): string;
}

/** Times in a zone; absent: where the person is, as all other times of the console. Costly: made once. */
export function logTimesIn(timeZone?: string): LogTimes {
  const zone = timeZone === undefined ? {} : { timeZone };
  const clock = new Intl.DateTimeFormat(undefined, { ...zone, hourCycle: 'h23', timeStyle: 'medium' });
  const moment = new Intl.DateTimeFormat(undefined, { ...zone, dateStyle: 'medium', timeStyle: 'medium' });
  const text = (time: string, format: Intl.DateTimeFormat): string => {
    const at = Date.parse(time);
    return Number.isNaN(at) ? time : format.format(at);
  };
  return { clockOf: (time) => text(time, clock), momentOf: (time) => text(time, moment) };
}

/** As the person's clock has it. */
export const LOG_TIMES = logTimesIn();
