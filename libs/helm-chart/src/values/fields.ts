import { z } from 'zod';

/** An object that Kubernetes itself judges. */
export function anyMap(
  value: Readonly<Record<string, unknown>> = {},
): z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodUnknown>> {
  return z.record(z.string(), z.unknown()).default(value);
}

/** A list of objects that Kubernetes itself judges. */
export function anyList(): z.ZodDefault<z.ZodArray<z.ZodRecord<z.ZodString, z.ZodUnknown>>> {
  return z.array(z.record(z.string(), z.unknown())).default([]);
}

/** Text by key: labels, annotations, variables. */
export function strings(
  value: Readonly<Record<string, string>> = {},
): z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>> {
  return z.record(z.string(), z.string()).default(value);
}

/** Name of an object of Kubernetes, or nothing. */
export function name(value = ''): z.ZodDefault<z.ZodString> {
  return z
    .string()
    .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/)
    .max(253)
    .default(value);
}

/** An amount as Kubernetes writes it, such as 10Gi. */
export function quantity(value: string): z.ZodDefault<z.ZodString> {
  return z
    .string()
    .regex(/^[0-9]+(\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/)
    .default(value);
}

/** Networks, such as 10.0.0.0/8. */
export function networks(value: readonly string[]): z.ZodDefault<z.ZodArray<z.ZodString>> {
  return z.array(z.string().regex(/^[0-9a-fA-F.:]+\/[0-9]{1,3}$/)).default([...value]);
}
