import type {
  AddOnInstallation,
  InventoryEntry,
  KubernetesCluster,
  Manifest,
  PolicyReviewRequest,
  PolicyReviewResponse,
  PolicyViolation,
} from '@crate/api';
import type { PlatformError } from '@crate/errors';
import { describeEntry, inventoryOf, pruneSet } from '@crate/kubernetes';
import { mergedReview, policyDenied } from '@crate/messaging';
import { clusterSubject } from './cluster-subject.js';
import { redactedManifest } from './redacted-manifest.js';

/** Asks of every object of an add-on whether it may enter the cluster. What is in the inventory may be there already; without one, all of it stands. */
export function manifestReviews(
  { spec }: AddOnInstallation,
  cluster: KubernetesCluster,
  inventory?: readonly InventoryEntry[],
): readonly PolicyReviewRequest[] {
  const subject = clusterSubject(cluster);
  const news = new Set(pruneSet(inventoryOf(spec.manifests), inventory ?? []).map(describeEntry));
  const isNew = (manifest: Manifest): boolean =>
    inventoryOf([manifest]).some((entry) => news.has(describeEntry(entry)));
  return spec.manifests.map((manifest) => ({
    stage: 'Manifest',
    ...(inventory ? { operation: isNew(manifest) ? 'CREATE' : 'UPDATE' } : {}),
    document: redactedManifest(manifest),
    subject: { ...subject, name: manifest.metadata.name },
    remember: true,
  }));
}

/** One verdict on the add-on, which says of each violation what object it is about. `verdicts` are on its manifests, in their order. */
export function judgedAddOn(
  { spec }: AddOnInstallation,
  verdicts: readonly PolicyReviewResponse[],
): PolicyReviewResponse {
  const named = verdicts.map((verdict, index) => {
    const [entry] = inventoryOf(spec.manifests.slice(index, index + 1));
    const about = (violation: PolicyViolation): PolicyViolation =>
      entry ? { ...violation, message: `${describeEntry(entry)}: ${violation.message}` } : violation;
    return { ...verdict, violations: verdict.violations.map(about) };
  });
  return mergedReview(named);
}

/** The refusal a person sees. */
export function addOnDenied(installation: AddOnInstallation, violations: readonly PolicyViolation[]): PlatformError {
  const { kind, metadata, spec } = installation;
  const name = `Add-on ${spec.addOn} ${spec.version}`;
  // A policy may change as well as the add-on.
  return policyDenied({ name, details: { kind, name: metadata.name }, retry: 'slow' }, violations);
}
