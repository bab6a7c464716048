import { z } from 'zod';

/** Signatures that an issuer makes with a key it keeps to itself. Symmetric ones and `none` are not on the list. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

const claimName = z.string().min(1).max(200);
const prefix = z.string().max(100).default('').describe('Put before every name; keeps issuers apart');

const login = z
  .strictObject({
    clientId: z.string().min(1).describe('Public client that `crate login` signs in as'),
    scopes: z
      .array(z.string().min(1))
      .default(['openid', 'profile', 'offline_access'])
      .describe('What it asks for; `offline_access` for signing in once only'),
    resource: z.url().optional().describe('Resource indicator (RFC 8707), where the issuer needs one'),
    console: z
      .strictObject({
        clientId: z.string().min(1).describe('Client that the console signs in as; `audiences` must have it, too'),
        clientSecretFile: z.string().optional().describe('File with its secret, where the issuer gave it one'),
      })
      .optional()
      .describe('Absent: the console is the same client as `crate login`'),
  })
  .describe('Published for `crate login`; absent: people bring their tokens by other means');

const issuer = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be lower-case letters, digits and "-"')
    .describe('What logs and `crate login` call it'),
  issuer: z.url({ protocol: /^https$/, error: 'must be an https:// URL' }).describe('`iss` of its tokens, exactly'),
  audiences: z.array(z.string().min(1)).min(1).describe('A token must be for one of these'),
  username: z
    .strictObject({ claim: claimName.default('sub').describe('The claim'), prefix })
    .prefault({})
    .describe('Claim that names the person'),
  groups: z
    .strictObject({ claim: claimName.default('groups').describe('The claim'), prefix })
    .prefault({})
    .describe('Claim that lists groups: an array of strings or one string'),
  platformAdmins: z
    .array(z.string().min(1))
    .default([])
    .describe('Groups, as the claim states them, whose members are platform administrators'),
  requiredClaims: z.record(z.string(), z.string()).default({}).describe('Claims a token must have, with these values'),
  algorithms: z.array(z.enum(ALGORITHMS)).min(1).default(['RS256', 'ES256']).describe('Signatures accepted'),
  caFile: z.string().optional().describe('PEM file with the authorities of the issuer; absent: the well-known ones'),
  clockSkewSeconds: z.int().min(0).max(300).default(10).describe('How far its clock may be off'),
  login: login.optional(),
});

/** Trusted issuers as they are written down. */
export const issuersSchema = z
  .strictObject({ issuers: z.array(issuer).max(50) })
  .superRefine(({ issuers }, context) => {
    const unique = (of: (each: OidcIssuerOptions) => string, path: readonly string[], message: string): void => {
      issuers.forEach((each, index) => {
        const first = issuers.findIndex((other) => of(other) === of(each));
        if (first !== index) context.addIssue({ code: 'custom', path: ['issuers', index, ...path], message });
      });
    };
    unique(({ name }) => name, ['name'], 'must be unique');
    unique((each) => each.issuer, ['issuer'], 'must be unique');
    const apart = 'must differ from the other issuers, or their people could pass for one another';
    unique(({ username }) => username.prefix, ['username', 'prefix'], apart);
    unique(({ groups }) => groups.prefix, ['groups', 'prefix'], apart);
  });

/** One OpenID Connect issuer whose tokens are accepted. */
export type OidcIssuerOptions = z.output<typeof issuer>;
