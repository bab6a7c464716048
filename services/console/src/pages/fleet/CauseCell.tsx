import type { FleetRow } from '@crate/api';
import type { TFunction } from 'i18next';
import type { ReactElement } from 'react';
import { RowAge } from './RowAge.js';

/** Why a cluster stands as it does and what to do; or what is under way. */
export function CauseCell({ row, t }: { readonly row: FleetRow; readonly t: TFunction }): ReactElement | null {
  const { health, cause, progress, phase, deletingSince } = row;
  // While work goes on, how far it is says more than that it does.
  if (cause && !(health === 'Progressing' && progress)) {
    return (
      <div className="crate-fleet-cause">
        <p title={cause.message}>{cause.message}</p>
        <small title={cause.remedy}>
          {cause.reason} · <RowAge since={cause.since} />
          {cause.remedy !== undefined && ` · ${t('remedy', { remedy: cause.remedy })}`}
        </small>
      </div>
    );
  }
  if (progress) {
    return (
      <div className="crate-fleet-cause">
        <p title={progress.message}>{progress.message}</p>
        <small>
          {t('step', { step: progress.step, steps: progress.steps })}
          {phase !== undefined && ` · ${phase}`}
        </small>
      </div>
    );
  }
  if (deletingSince === undefined) return null;
  return (
    <p>
      {t('deletingSince')} <RowAge since={deletingSince} />
    </p>
  );
}
