import type { ResourceRef, ResourceType, Route } from '@crate/resource-client';
import type { Verb } from '../authorization.js';
import type { Exchange } from '../exchange.js';
import type { ResourcePath } from '../request-path.js';
import type { ObjectView } from '../view.js';

/** A request to a resource: authorised, its owner known. */
export interface Target {
  readonly exchange: Exchange;
  readonly path: ResourcePath;
  readonly route: Route;
  readonly view: ObjectView;
  /** Asks for a further right to what the path names; throws Forbidden. */
  readonly authorize: (verb: Verb) => Promise<void>;
}

/** The resource type a path names. */
export function typeOf({ group, version, plural }: ResourcePath): ResourceType {
  return { group, version, plural };
}

/** The object a path names. */
export function refOf(path: ResourcePath): ResourceRef {
  const { namespace, name = '' } = path;
  return { ...typeOf(path), name, ...(namespace === undefined ? {} : { namespace }) };
}
