import type { BootstrapDir } from './bootstrap-dir.js';
import type { BootstrapRequest } from './request.js';
import type { Singleton } from './singleton.js';
import type { BootstrapTarget } from './target.js';

/** What every step of a bootstrap or a removal works with. */
export interface BootstrapScope {
  readonly request: BootstrapRequest;
  readonly dir: BootstrapDir;
  readonly target: BootstrapTarget;
  /** The temporary platform of this direction. */
  readonly singleton: Singleton;
  readonly say: (line: string) => void;
}
