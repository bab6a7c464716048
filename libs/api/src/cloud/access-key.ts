/**
 * Whether an access key id of AWS is of credentials that end within hours, as single sign-on and assumed roles give them. They do not count without
 * their session token. Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
 */
export function isTemporaryAccessKey(accessKeyId: string): boolean {
  return accessKeyId.startsWith('ASIA');
}
