export { AesGcmSecretBox } from './aes-gcm-secret-box.js';
export { FileKeyProvider } from './file-key-provider.js';
export { createKeyFile, readKey, restoreKeyFile } from './key-file.js';
export { InMemorySecretStore } from './in-memory-secret-store.js';
export { KeyProvider, type WrappedKey } from './key-provider.js';
export { KeyRing, type EncryptionKey } from './key-ring.js';
export { isKeyMissing } from './missing-key.js';
export { SECRETS_MIGRATIONS } from './migrations.js';
export { PostgresSecretStore } from './postgres-secret-store.js';
export { keyUses, type KeyUse } from './rotation/key-use.js';
export { listKeyFiles, retireKeyFile } from './rotation/key-files.js';
export { SecretRenewal, type OlderKeys, type RenewalOptions, type RenewalProgress } from './rotation/secret-renewal.js';
export type { SecretPlace } from './rotation/renewable-rows.js';
export type { SealedRowKey, SealedTable } from './rotation/sealed-table.js';
export { secretDamageOf, type SecretDamage } from './secret-damage.js';
export {
  SecretBox,
  SecretStore,
  type OpenedSecret,
  type PutOptions,
  type SealedSecret,
  type SecretBinding,
  type SecretFacts,
  type SecretVersion,
} from './secret-store.js';
