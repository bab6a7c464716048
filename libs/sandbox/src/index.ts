export { createAuthority, issueCertificate, type CertificateSubject, type KeyPair } from './pki/certificate-authority.js';
export { writeRkeWrapper, type RkeWrapperOptions } from './rke/write-rke-wrapper.js';
