import { withSpan } from '@crate/telemetry';

/** A request to a cloud with the whole text of its answer, as a span. The cloud is told nothing of the trace: it is not ours. */
export async function sent(
  url: string | URL,
  init: RequestInit & { readonly method: string },
): Promise<[Response, string]> {
  const { method } = init;
  const { hostname, pathname } = new URL(url);
  const attributes = { 'http.request.method': method, 'server.address': hostname, 'url.path': pathname };
  return withSpan(method, { kind: 'client', attributes }, async (span) => {
    const response = await fetch(url, init);
    span.set({ 'http.response.status_code': response.status });
    return [response, await response.text()];
  });
}
