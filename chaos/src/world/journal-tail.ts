import { open, stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { filesOf, inodeOf, linesOf, replay, textOf, type CloudObject, type JournalLine } from './cloud-journal.js';

/** What was done to an object of the simulated cloud. */
export interface Done {
  /** As it was; undefined: it was not there. */
  readonly before?: CloudObject;
  /** As it is; undefined: it is gone. */
  readonly after?: CloudObject;
}

/** Reads what happens in the simulated cloud from its files, bit by bit and in its order. */
export class JournalTail {
  private readonly files: ReturnType<typeof filesOf>;
  private objects = new Map<string, CloudObject>();
  private inode = -1;
  private offset = 0;

  constructor(sandboxDirectory: string) {
    this.files = filesOf(sandboxDirectory);
  }

  /** What was done since the last time; of what was forgotten by a new snapshot, what came of it. One after the other. */
  async read(): Promise<readonly Done[]> {
    for (;;) {
      const inode = await inodeOf(this.files.snapshot);
      if (inode !== this.inode) {
        const done = await this.readAnew(inode);
        if (done) return done;
        continue;
      }
      const { text, offset } = await textFrom(this.files.journal, this.offset);
      // The journal is emptied once a new snapshot is in place.
      if ((await inodeOf(this.files.snapshot)) !== inode) continue;
      const whole = text.subarray(0, text.lastIndexOf('\n') + 1);
      this.offset = offset + whole.length;
      return linesOf(whole.toString()).flatMap((line) => this.apply(line));
    }
  }

  private async readAnew(inode: number): Promise<readonly Done[] | undefined> {
    const snapshot = await textOf(this.files.snapshot);
    const { text } = await textFrom(this.files.journal, 0);
    if ((await inodeOf(this.files.snapshot)) !== inode) return undefined;
    const whole = text.subarray(0, text.lastIndexOf('\n') + 1);
    const known = this.objects;
    this.objects = replay(snapshot + whole.toString());
    this.inode = inode;
    this.offset = whole.length;
    const keys = new Set([...known.keys(), ...this.objects.keys()]);
    return [...keys].flatMap((key) => doneTo(known.get(key), this.objects.get(key)));
  }

  private apply({ key, value }: JournalLine): readonly Done[] {
    const before = this.objects.get(key);
    if (value) this.objects.set(key, value);
    else this.objects.delete(key);
    return doneTo(before, value);
  }
}

function doneTo(before: CloudObject | undefined, after: CloudObject | undefined): readonly Done[] {
  if (isDeepStrictEqual(before, after)) return [];
  return [{ ...(before ? { before } : {}), ...(after ? { after } : {}) }];
}

/** From the beginning where the file is shorter by now. */
async function textFrom(file: string, from: number): Promise<{ readonly text: Buffer; readonly offset: number }> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  const offset = size < from ? 0 : from;
  if (size === offset) return { text: Buffer.alloc(0), offset };
  const handle = await open(file);
  try {
    const text = Buffer.alloc(size - offset);
    const { bytesRead } = await handle.read(text, 0, text.length, offset);
    return { text: text.subarray(0, bytesRead), offset };
  } finally {
    await handle.close();
  }
}
