import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { KubeConfig, PortForward } from '@kubernetes/client-node';
import { eventually } from '@crate/testing';

/** What came back over the forwarded port, from the pod and from who forwards. */
export interface Forwarded {
  readonly output: string;
  readonly errors: string;
}

/**
 * Sends a text to a port of a pod, or of a Service's pod, through the cluster's API, as the official client does, and waits for an answer.
 * The directory is that of a `TestBench` that has run kubectl.
 */
export async function forwarded(
  directory: string,
  target:
    | { readonly namespace: string; readonly pod: string; readonly port: number }
    | { readonly namespace: string; readonly service: string; readonly port: number },
  text: string,
): Promise<Forwarded> {
  const config = new KubeConfig();
  config.loadFromFile(join(directory, 'kubeconfig'));
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const heard = { output: '', errors: '' };
  output.on('data', (chunk: Buffer) => (heard.output += chunk.toString()));
  errors.on('data', (chunk: Buffer) => (heard.errors += chunk.toString()));
  const forward = new PortForward(config);
  const { namespace, port } = target;
  const client =
    'pod' in target
      ? await forward.portForward(namespace, target.pod, [port], output, errors, input)
      : await forward.portForwardService(namespace, target.service, [port], output, errors, input);
  input.write(text);
  await eventually(() => heard.output !== '' || heard.errors !== '', { timeoutMs: 60_000 });
  input.end();
  if (typeof client === 'object') client?.close();
  return heard;
}
