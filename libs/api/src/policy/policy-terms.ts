import { z } from 'zod';

/** What kind of document a rule judges. */
export const POLICY_STAGES = ['ClusterSpec', 'TerraformPlan', 'EngineConfig', 'Manifest'] as const;
export const policyStage = z.enum(POLICY_STAGES);
export type PolicyStage = z.output<typeof policyStage>;

/** RFC 2119: `must` denies, `should` warns, `may` informs. */
export const policyLevel = z.enum(['must', 'should', 'may']);
export type PolicyLevel = z.output<typeof policyLevel>;

/** How bad it is when a rule is broken, as policy reports say it. */
export const policySeverity = z.enum(['critical', 'high', 'medium', 'low', 'info']);
export type PolicySeverity = z.output<typeof policySeverity>;

/** `enforce` acts by the level; `warn` warns where the level would deny; `dry-run` is only in reports. */
export const policyEnforcement = z.enum(['enforce', 'warn', 'dry-run']);
export type PolicyEnforcement = z.output<typeof policyEnforcement>;

export const policyOperation = z.enum(['CREATE', 'UPDATE', 'DELETE']);
export type PolicyOperation = z.output<typeof policyOperation>;

/** Who may approve waivers of a rule. */
export const policyWaivableBy = z.enum(['ProjectAdmin', 'PlatformAdmin', 'Nobody']);
export type PolicyWaivableBy = z.output<typeof policyWaivableBy>;
