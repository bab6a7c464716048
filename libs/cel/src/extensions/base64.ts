import { badRequest } from '@crate/errors';
import type { Environment } from '@marcbachmann/cel-js';

class Base64Namespace {}

/** Source: https://pkg.go.dev/github.com/google/cel-go/ext#Encoders */
export function addBase64(environment: Environment): void {
  environment
    .registerType('Base64Namespace', Base64Namespace)
    .registerConstant('base64', 'Base64Namespace', new Base64Namespace())
    .registerFunction('Base64Namespace.encode(bytes): string', (_: unknown, bytes: Uint8Array) =>
      Buffer.from(bytes).toString('base64'),
    )
    .registerFunction('Base64Namespace.decode(string): bytes', (_: unknown, text: string) => decode(text));
}

/** With padding or without. */
function decode(text: string): Buffer {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw badRequest(`${JSON.stringify(text)} is not base64`);
  return Buffer.from(text, 'base64');
}
