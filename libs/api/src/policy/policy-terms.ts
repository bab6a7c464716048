import { z } from 'zod';

/** What kind of document a rule judges. */
export const POLICY_STAGES = ['ClusterSpec', 'TerraformPlan', 'EngineConfig', 'Manifest'] as const;
/** Stages by which a rule may be matched; one that is not among them is InvalidSpec. */
export const policyStage = z.enum(POLICY_STAGES);
/** In the order of `POLICY_STAGES`, which is that of the journey of a cluster. */
export type PolicyStage = z.output<typeof policyStage>;

/** RFC 2119: `must` denies, `should` warns, `may` informs. */
export const policyLevel = z.enum(['must', 'should', 'may']);
/** What a broken rule leads to, if `PolicyEnforcement` lets it. */
export type PolicyLevel = z.output<typeof policyLevel>;

/** How bad it is when a rule is broken, as policy reports say it. */
export const policySeverity = z.enum(['critical', 'high', 'medium', 'low', 'info']);
/** For people and reports alone: it decides nothing. */
export type PolicySeverity = z.output<typeof policySeverity>;

/** `enforce` acts by the level; `warn` warns where the level would deny; `dry-run` is only in reports. */
export const policyEnforcement = z.enum(['enforce', 'warn', 'dry-run']);
/** May differ from Project to Project, by `exceptions` of the rule. */
export type PolicyEnforcement = z.output<typeof policyEnforcement>;

/** As admission in Kubernetes names them. Source: https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/ */
export const policyOperation = z.enum(['CREATE', 'UPDATE', 'DELETE']);
/** A rule that names none is judged for CREATE and UPDATE. */
export type PolicyOperation = z.output<typeof policyOperation>;

/** Who may approve waivers of a rule. */
export const policyWaivableBy = z.enum(['ProjectAdmin', 'PlatformAdmin', 'Nobody']);
/** A platform administrator may also approve what is for ProjectAdmin. */
export type PolicyWaivableBy = z.output<typeof policyWaivableBy>;
