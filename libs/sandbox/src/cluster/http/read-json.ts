import type { IncomingMessage } from 'node:http';
import { badRequest } from '@crate/errors';

const LIMIT_BYTES = 3 * 1024 * 1024;

/** The body as JSON; throws BadRequest for anything else, and for more than the API server of Kubernetes takes. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LIMIT_BYTES) throw badRequest(`Request entity too large: limit is ${LIMIT_BYTES}`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch (error) {
    throw badRequest(`the request body is not valid JSON: ${error instanceof Error ? error.message : ''}`);
  }
}
