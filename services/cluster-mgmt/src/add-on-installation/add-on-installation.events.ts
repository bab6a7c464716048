import type { AddOnInstallation } from '@crate/api';
import { nameSome, type ConditionTellings, type EventDraft } from '@crate/reconcile';

/** What people are told of an add-on's conditions. */
export const ADD_ON_TELLINGS: ConditionTellings<AddOnInstallation> = {
  Ready: {
    becameTrue: ({ spec }) => normal('AddOnInstalled', `Add-on ${spec.addOn} ${spec.version} is installed`),
    becameUntrue: ({ metadata, spec }, { message, reason }, before) => {
      // Of what was changed, the wait for it is no news.
      if (metadata.deletionTimestamp || !isUpToDate(before)) return undefined;
      return { type: 'Warning', reason: 'AddOnNotReady', message: `Add-on ${spec.addOn}: ${message || reason}` };
    },
  },
  InSync: {
    becameFalse: ({ spec }, { message }) => ({
      type: 'Warning',
      reason: 'Drifted',
      message: `Add-on ${spec.addOn}: ${message}`,
    }),
  },
  PolicyCompliant: {
    // A pass that fails for it tells it itself, and the Cluster tells of all its parts.
    becameFalse: ({ spec, status }, { message }) =>
      status?.failure?.code === 'PolicyDenied'
        ? undefined
        : { type: 'Warning', reason: 'PolicyViolated', message: `Add-on ${spec.addOn}: ${message}`, isInternal: true },
  },
};

/** False from a change of what is asked for until a pass has applied it. */
export function isUpToDate({ metadata, status }: AddOnInstallation): boolean {
  return status?.observedGeneration === metadata.generation;
}

/** Told when what stands in the cluster was not what the add-on states. */
export function driftCorrected({ spec }: AddOnInstallation, objects: readonly string[]): EventDraft {
  return normal('DriftCorrected', `Add-on ${spec.addOn}: set back ${nameSome(objects)}`);
}

/** Told when another add-on states an object differently: each sets it to what it states, and so undoes the other's. */
export function objectContested({ spec }: AddOnInstallation, objects: readonly string[]): EventDraft {
  const message = `Add-on ${spec.addOn}: stated differently, ${nameSome(objects)}; leave it to one of them, or state the same`;
  return { type: 'Warning', reason: 'ObjectContested', message };
}

/** Told once nothing of it is left. */
export function addOnRemoved({ spec }: AddOnInstallation): EventDraft {
  return normal('AddOnRemoved', `Add-on ${spec.addOn} is removed`);
}

/** Told instead, when nobody could look whether anything of it is left. */
export function removalGivenUp({ spec }: AddOnInstallation): EventDraft {
  const message = `Add-on ${spec.addOn}: the cluster does not answer; what is left of the add-on is left to it`;
  return { type: 'Warning', reason: 'RemovalGivenUp', message };
}

function normal(reason: string, message: string): EventDraft {
  return { type: 'Normal', reason, message };
}
