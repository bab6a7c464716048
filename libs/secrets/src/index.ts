export { SecretBox, SecretStore, type SealedSecret, type SecretBinding, type SecretVersion } from './secret-store.js';
