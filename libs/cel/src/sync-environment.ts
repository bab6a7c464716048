import { Environment } from '@marcbachmann/cel-js';
import type {
  RegisterFunctionDeclaration,
  RegisterFunctionOptions,
  RegisteredFunctionHandler,
} from '@marcbachmann/cel-js';

/** Nothing in an expression waits; said when a function is registered, it spares every call a look for a promise. */
export class SyncEnvironment extends Environment {
  /** Takes a signature and its handler only. */
  override registerFunction(
    signature: string | RegisterFunctionDeclaration,
    handler?: RegisteredFunctionHandler | RegisterFunctionOptions,
  ): this {
    if (typeof signature !== 'string' || typeof handler !== 'function')
      throw new TypeError('A signature and a handler');
    return super.registerFunction(signature, handler, { async: false });
  }
}
