const BY_NOBODY = 'is by nobody that is trusted';

/** What is wrong with the certificate of a peer, by the code of the error that refuses it. */
export const CERTIFICATE_TROUBLE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: BY_NOBODY,
  SELF_SIGNED_CERT_IN_CHAIN: BY_NOBODY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: BY_NOBODY,
  UNABLE_TO_GET_ISSUER_CERT: BY_NOBODY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: BY_NOBODY,
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name',
};
