export { signedHeaders, type AwsCredentials, type SignableRequest } from './signed-headers.js';
