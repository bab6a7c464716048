export {
  createAuthority,
  createSigningKey,
  issueCertificate,
  namesOf,
  type CertificatePair as KeyPair,
  type CertificateSubject,
} from '@crate/auth';
