import { z } from 'zod';
import { findText } from '../secret-file.js';

const wantedSchema = z.object({
  version: z.string(),
  next: z.object({ version: z.string(), stage: z.enum(['Canary', 'All', 'Held']) }).optional(),
});

/** Which versions of a service shall run, as lifecycle says it. */
export type Wanted = z.output<typeof wantedSchema>;

/** Undefined before it said anything, and for what is damaged: then everything stays as it is. */
export async function readWanted(file: string): Promise<Wanted | undefined> {
  const text = await findText(file);
  try {
    const parsed = wantedSchema.safeParse(JSON.parse(text ?? 'null'));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
