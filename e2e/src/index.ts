export { CrateUser } from './crate-user.js';
