import { type SubresourceParameter, isJsonObject } from '@crate/api';
import { badRequest } from '@crate/errors';
import { asSubresourceFile, type OpenedFile, type SubresourceQuery } from '@crate/resource-client';
import { parse as parseYaml } from 'yaml';
import { parameter } from '../exchange.js';
import { parseAccept } from '../media-type.js';
import { streamLog } from './log-stream.js';
import { refOf, type Target } from './target.js';

/** Kinds of content that have a form for people, and how to write it. */
export type ContentTexts = Readonly<Record<string, (content: never) => string>>;

const TEXT = 'text/plain; charset=utf-8';

/** `GET` of a subresource that its owner answers: a log, a document as text, or an object. */
export async function readSubresource(target: Target, texts: ContentTexts): Promise<void> {
  const { exchange, path, route } = target;
  const { subresource = '' } = path;
  const offered = route.kind.subresources.find(({ name }) => name === subresource);
  if (offered?.isLog) return streamLog(target);
  const query = offered?.parameters && queryOf(exchange.query, offered.parameters);
  const content = await route.api.readSubresource(refOf(path), subresource, exchange.context, query);
  if (offered?.isSecret) exchange.response.setHeader('cache-control', 'no-store');
  const file = asSubresourceFile(content);
  if (file) return sendFile(target, file);
  if (typeof content === 'string') return sendDocument(target, content);
  const text = wantsText(target) ? textOf(content, texts) : undefined;
  return text === undefined ? exchange.respond.object(200, content) : exchange.respond.text(200, text, TEXT);
}

/** Throws BadRequest for a value that a parameter does not have. */
function queryOf(given: URLSearchParams, parameters: readonly SubresourceParameter[]): SubresourceQuery {
  const query: Record<string, string> = {};
  for (const { name, values } of parameters) {
    const value = parameter(given, name);
    if (value === undefined) continue;
    if (values && !values.includes(value)) throw badRequest(`${name} must be one of ${values.join(', ')}`);
    query[name] = value;
  }
  return query;
}

/** To be saved: a page of ours must not run in the name of this server. */
function sendFile({ exchange: { response, respond } }: Target, { fileName, mediaType, bytes }: OpenedFile): void {
  response.setHeader('content-disposition', `attachment; filename="${fileName}"`);
  respond.text(200, bytes, mediaType);
}

/** A YAML document, such as a kubeconfig, is sent as it is, or as JSON to a client that takes nothing else. */
function sendDocument({ exchange, path }: Target, content: string): void {
  const { respond, response, request } = exchange;
  if (!/^(apiVersion|kind): /.test(content)) return respond.text(200, content, TEXT);
  const { name = '', subresource = '' } = path;
  response.setHeader('content-disposition', `attachment; filename="${name}.${subresource}"`);
  if (!takesJsonOnly(request.headers.accept)) return respond.text(200, content, 'application/yaml');
  return respond.object(200, parseYaml(content));
}

/** kubectl always names JSON, and takes everything else as well. */
function takesJsonOnly(accept: string | undefined): boolean {
  const types = parseAccept(accept).map(({ type }) => type);
  return types.length > 0 && types.every((type) => type === 'application/json');
}

function wantsText({ exchange }: Target): boolean {
  const format = parameter(exchange.query, 'format');
  if (format !== undefined) return format === 'text';
  return parseAccept(exchange.request.headers.accept)[0]?.type === 'text/plain';
}

function textOf(content: unknown, texts: ContentTexts): string | undefined {
  const kind = isJsonObject(content) ? content.kind : undefined;
  const write = typeof kind === 'string' && Object.hasOwn(texts, kind) ? texts[kind] : undefined;
  return write?.(content as never);
}
