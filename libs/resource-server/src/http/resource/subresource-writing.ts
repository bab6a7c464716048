import { isJsonObject } from '@crate/api';
import { hasCode } from '@crate/errors';
import type { SubresourceWrite } from '@crate/resource-client';
import { jsonPatch } from '../../patch/json-patch.js';
import { subresourcePatchTypeOf } from '../patch-types.js';
import { methodNotAllowed } from '../protocol-error.js';
import { writeOptions } from '../query-options.js';
import { contentType, parseDocument, readBody } from '../request-body.js';
import { refOf, type Target } from './target.js';

/** As kube-apiserver has it. */
const RACES_BEFORE_GIVING_UP = 5;

/** What the owner makes of it is sent as it is; 201 for a `POST`, as something came into being. */
export async function writeSubresource(target: Target, verb: SubresourceWrite['verb']): Promise<void> {
  const { exchange, path, route } = target;
  const { request, query, context, respond } = exchange;
  const { subresource = '' } = path;
  const offered = route.kind.subresources.find(({ name }) => name === subresource);
  if (!offered?.verbs.includes(verb)) throw methodNotAllowed();
  const mediaType = contentType(request);
  const patchType = verb === 'patch' ? subresourcePatchTypeOf(route.kind, mediaType) : undefined;
  const document = parseDocument(await readBody(request), mediaType);
  const { dryRun, fieldManager } = writeOptions(query, request);
  const stated = {
    ...(dryRun === undefined ? {} : { dryRun }),
    ...(fieldManager === undefined ? {} : { fieldManager }),
  };
  const write = (body: unknown): Promise<unknown> =>
    route.api.writeSubresource(refOf(path), subresource, { verb, body, ...stated }, context);
  const written = await (patchType === 'json' ? writePatched(target, document, write) : write(document));
  respond.object(verb === 'create' ? 201 : 200, written);
}

/**
 * A JSON patch names no fields of its own, so it is applied to what is there. What it tested is to hold when it is written, so the
 * write is for the version that was read, and the whole patch is done anew when somebody else was faster.
 */
async function writePatched(
  { exchange: { context }, path, route }: Target,
  operations: unknown,
  write: (body: unknown) => Promise<unknown>,
): Promise<unknown> {
  for (let race = 0; ; race += 1) {
    const before = await route.api.readSubresource(refOf(path), path.subresource ?? '', context);
    const body = jsonPatch(before, operations);
    try {
      return await write(body);
    } catch (error) {
      const isOfPatch = versionOf(body) !== versionOf(before); // The client's own version is the client's to renew.
      if (!hasCode(error, 'Conflict') || isOfPatch || race === RACES_BEFORE_GIVING_UP) throw error;
    }
  }
}

function versionOf(document: unknown): unknown {
  const metadata = isJsonObject(document) ? document.metadata : undefined;
  return isJsonObject(metadata) ? metadata.resourceVersion : undefined;
}
