import type { KubeObject } from '@crate/api';
import { SharedLook } from './shared-look.js';
import type { TypedClient } from './typed-client.js';

/**
 * Looks for objects of another service for many who ask for the same one at the same time, as fresh as each by himself would find it.
 * What is found is shared, too, and not to be changed.
 */
export class SharedFinds<T extends KubeObject> {
  private readonly looks = new Map<string, SharedLook<T | undefined>>();

  constructor(private readonly client: Pick<TypedClient<T>, 'find'>) {}

  /** Undefined when absent. */
  find(name: string, namespace?: string): Promise<T | undefined> {
    const key = `${namespace ?? ''}/${name}`;
    const known = this.looks.get(key);
    if (known) return known.ask();
    const look = new SharedLook(
      () => this.client.find(name, namespace),
      () => this.looks.delete(key),
    );
    this.looks.set(key, look);
    return look.ask();
  }
}
