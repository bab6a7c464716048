import type { KubeObject } from '@crate/api';
import { digestOf, freezeJson } from '@crate/resource-store';
import type { TypedClient } from '@crate/resource-client';
import type { WriteAttempt } from './write-attempt.js';

const MOST_REMEMBERED = 1_000;

/**
 * Objects of a kind of this service as they were when they were last read, for hooks that judge by them. A write that is judged by memory
 * is stored only while the memory is right, so that it reads nothing and is as sure as one that does. What is remembered may have
 * another status or other labels than what is stored: only what `metadata.generation` counts may be judged by.
 */
export class RememberedObjects<T extends KubeObject> {
  private readonly objects = new Map<string, T>();

  constructor(private readonly client: Pick<TypedClient<T>, 'find' | 'kind'>) {}

  /** As it is remembered where the attempt allows that, else as it is stored; undefined when there is none. Not to be changed. */
  async find(name: string, namespace: string | undefined, attempt: WriteAttempt | undefined): Promise<T | undefined> {
    const key = `${namespace ?? ''}/${name}`;
    const known = attempt?.mayRemember ? this.objects.get(key) : undefined;
    if (known) {
      const { group, kind } = this.client.kind;
      attempt?.relyOn({ group, kind, namespace: namespace ?? '', name, digest: digestOf([known]) });
      return known;
    }
    const found = await this.client.find(name, namespace);
    this.remember(key, found && freezeJson(found));
    return found;
  }

  /** The object that was looked for longest ago goes when there are too many. */
  private remember(key: string, object: T | undefined): void {
    this.objects.delete(key);
    if (object) this.objects.set(key, object);
    if (this.objects.size <= MOST_REMEMBERED) return;
    const [oldest] = this.objects.keys();
    if (oldest !== undefined) this.objects.delete(oldest);
  }
}
