import { useState } from 'react';

/** The newest that was known of the same thing: a look that failed takes nothing away from who works with it. */
export function useLastKnown<T>(data: T | undefined, of: string): T | undefined {
  const [known, setKnown] = useState({ of, data });
  if (data !== undefined && (data !== known.data || of !== known.of)) setKnown({ of, data });
  return data ?? (of === known.of ? known.data : undefined);
}
