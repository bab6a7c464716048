import { conflict } from '@crate/errors';
import type { KubeconfigFile } from './kubeconfig-file.js';

/** Where an API is, and as whom it is asked. */
export interface WayIn<User> {
  readonly cluster: { readonly server: string };
  readonly user: User;
}

/** What a kubeconfig has under one name. */
export interface Taken<User> extends Partial<WayIn<User>> {
  readonly context?: { readonly cluster?: string; readonly user?: string };
}

export interface Replacing<User> {
  readonly name: string;
  /** Whether it is the same way in, which may be written anew. */
  readonly isSame: (taken: Taken<User>) => boolean;
  /** What a person can do where it is not. */
  readonly remedy: string;
}

/** Throws Conflict where the name of a cluster, user or context stands for something else: that would be lost. */
export function refuseOther<User>(file: KubeconfigFile, { name, isSame, remedy }: Replacing<User>): void {
  const cluster = file.find<WayIn<User>['cluster']>('clusters', name);
  const user = file.find<User>('users', name);
  const context = file.find<NonNullable<Taken<User>['context']>>('contexts', name);
  const taken = { ...(cluster && { cluster }), ...(user && { user }), ...(context && { context }) };
  if (Object.keys(taken).length === 0 || isSame(taken)) return;
  const where = cluster === undefined ? 'something else' : `another way in, to ${cluster.server}`;
  throw conflict(`"${name}" is ${where} in the kubeconfig already: ${remedy}`);
}

/** Whom to trust comes with each way in, also where it is taken from the one before: what else was said of it may be wrong by now. */
const TRUST = ['certificate-authority', 'certificate-authority-data', 'insecure-skip-tls-verify'];

/** Writes cluster, user and context under one name. What a person added to the context stays, and to the cluster if the server is the same. */
export function setWayIn<User>(file: KubeconfigFile, name: string, { cluster, user }: WayIn<User>): void {
  const former = file.find<WayIn<User>['cluster']>('clusters', name);
  const added = former?.server === cluster.server ? Object.entries(former).filter(([key]) => !TRUST.includes(key)) : [];
  file.set('clusters', name, { ...Object.fromEntries(added), ...cluster });
  file.set('users', name, user);
  file.set('contexts', name, { ...file.find<object>('contexts', name), cluster: name, user: name });
}
