// Asked by container engines whether the service in this container is ready: there is no shell and no curl to ask with.
const port = process.env.CRATE_HEALTH_PORT ?? process.env.CRATE_SANDBOX_PORT;
const path = process.env.CRATE_HEALTH_PORT === undefined ? 'healthz' : 'readyz';
try {
  const { ok, status } = await fetch(`http://127.0.0.1:${port}/${path}`, { signal: AbortSignal.timeout(4_000) });
  if (!ok) console.error(`/${path} says ${status}`);
  process.exitCode = ok ? 0 : 1;
} catch (error) {
  console.error(String(error.cause ?? error));
  process.exitCode = 1;
}
