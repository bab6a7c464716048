import type { ServerResponse } from 'node:http';
import { constants, type Http2ServerResponse, type ServerHttp2Stream } from 'node:http2';

/**
 * What answers over HTTP/2 tell otherwise than those over HTTP/1.1. Node gives both the same face, but for their state, and there is
 * no connection of an answer's own.
 */
function streamOf(response: ServerResponse): ServerHttp2Stream | undefined {
  return (response as ServerResponse & Partial<Pick<Http2ServerResponse, 'stream'>>).stream;
}

export function isHttp2(response: ServerResponse): boolean {
  return streamOf(response) !== undefined;
}

/** The answer is out, or nobody is there for it any more. */
export function isClosed(response: ServerResponse): boolean {
  const stream = streamOf(response);
  return stream ? stream.closed || stream.destroyed : response.closed;
}

/** Whether there is somebody to be told something. */
export function isAnswerable(response: ServerResponse): boolean {
  return isHttp2(response) ? !isClosed(response) : response.writable;
}

/** Breaks an answer off, so that the client does not take what it has for all there is. What is buffered is thrown away. */
export function cutOff(response: ServerResponse): void {
  const stream = streamOf(response);
  if (!stream) return void response.destroy();
  // By itself a destroyed stream ends without an error.
  stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  setImmediate(() => stream.destroy());
}
