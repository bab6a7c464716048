import { readFileSync, statSync } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const absolute = z.string().regex(/^\//, 'must be an absolute path');

const localImage = z.strictObject({
  /** What the image would start, as it lies on this machine; `command` and `args` of a container take its place. */
  command: z.array(z.string().min(1)).min(1),
  /** The image's own variables; those of the container win. */
  environment: z.record(z.string(), z.string()).default({}),
  /** Variables of the image that are paths in it, and become what those of a container would. */
  defaults: z.record(z.string(), z.string()).default({}),
  /** The program refuses root: where the sandbox is root, its process takes itself for somebody else. Files stay the sandbox's. */
  isRootless: z.boolean().default(false),
  /** Where this machine has what the image has at a path. */
  paths: z.record(absolute, absolute).default({}),
});

/** A program of this machine that stands for an image. */
export type LocalImage = z.output<typeof localImage>;

const localImages = z.record(z.string().min(1), localImage);
type LocalImages = z.output<typeof localImages>;
/** By `repository` or `repository:tag`, as written into the file: without what has a default. */
export type LocalImagesInput = z.input<typeof localImages>;

const FILE = 'images.json';
const OFFICIAL = /^docker\.io\/library\//;
/** A look at the file is spared for so long. */
const LOOK_AGAIN_MS = 500;

/**
 * Which images are programs of this machine, by repository, or by `repository:tag` for one of them; containers of all others are simulated. It is a file of the data directory and no
 * request of the control API: whoever names a program here has it run as the sandbox's user, so only that user may.
 */
export class ImageCatalog {
  private images: LocalImages = {};
  private changedAt: number | undefined;
  private lookedAt = -Infinity;

  constructor(
    private readonly dataDir: string,
    private readonly onUnreadable: (error: unknown) => void = () => undefined,
  ) {}

  /**
   * The one of the tag, if the file has that; else whatever tag the reference has. Digests are not looked at; `docker.io/library/nats` is `nats`, as for
   * every container runtime.
   */
  find(reference: string): LocalImage | undefined {
    this.look();
    const names = [reference, reference.replace(OFFICIAL, '')];
    const [found] = names.flatMap((name) => this.images[withoutDigest(name)] ?? this.images[repositoryOf(name)] ?? []);
    return found;
  }

  private look(): void {
    if (performance.now() - this.lookedAt < LOOK_AGAIN_MS) return;
    this.lookedAt = performance.now();
    const file = join(this.dataDir, FILE);
    const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (changedAt === this.changedAt) return;
    this.changedAt = changedAt;
    try {
      this.images = changedAt === undefined ? {} : localImages.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch (error) {
      // What held before goes on holding.
      this.onUnreadable(error);
    }
  }
}

/**
 * Has the sandbox of this data directory run containers of these images, and of no others, as processes from now on; those that run already are
 * left as they are. Seen within a second, also by a sandbox that runs; on disk when it resolves. Throws what is wrong with an image.
 */
export async function writeLocalImages(dataDir: string, images: LocalImagesInput): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const draft = join(dataDir, `${FILE}.new`);
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(localImages.parse(images)));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(dataDir, FILE));
}

/** `registry:5000/a/b:tag@sha256:…` without tag and digest. */
export function repositoryOf(reference: string): string {
  const name = withoutDigest(reference);
  const colon = name.lastIndexOf(':');
  return colon > name.lastIndexOf('/') ? name.slice(0, colon) : name;
}

function withoutDigest(reference: string): string {
  return reference.split('@')[0] ?? '';
}
