import { FormGroup, NumberInput } from '@patternfly/react-core';
import { useDeferredValue, useId, useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
import { ConsequencesPreview } from '../ConsequencesPreview.js';
import { jsonPatch, writeCluster } from '../dry-run.js';
import { useClusterKey } from '../use-cluster-key.js';
import { useDryRun } from '../use-dry-run.js';
import type { Pool } from './pools.js';

const MOST = 200;

interface ScaleDialogProps {
  readonly pool: Pool;
  readonly onClose: () => void;
}

/** Sets how many machines a pool has, after what that leads to was shown. */
export function ScaleDialog({ pool, onClose }: ScaleDialogProps): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const id = useId();
  const [opened] = useState(pool);
  // Nothing while the field is empty, which is no number.
  const [replicas, setReplicas] = useState<number | ''>(pool.replicas);
  const wanted = replicas === '' ? opened.replicas : replicas;
  const shown = useDeferredValue(wanted);
  const change = useMemo(() => scaleTo(opened, shown), [opened, shown]);
  const isChanged = shown !== opened.replicas;
  const { isSuccess, isPlaceholderData, isError } = useDryRun(change, isChanged);
  const isShown = shown === wanted && (isError || (isSuccess && !isPlaceholderData));
  const set = (value: number): void => setReplicas(Math.min(MOST, Math.max(0, value)));
  return (
    <DeedDialog
      variant="medium"
      title={t('scale.title', { name: opened.name })}
      submit={t('scale.submit')}
      isReady={isChanged && isShown}
      onSubmit={() => writeCluster(key, scaleTo(opened, wanted))}
      onClose={onClose}
    >
      <FormGroup label={t('scale.replicas')} fieldId={id}>
        <NumberInput
          id={id}
          inputProps={{ id }}
          inputAriaLabel={t('scale.replicas')}
          value={replicas}
          min={0}
          max={MOST}
          minusBtnAriaLabel={t('scale.fewer')}
          plusBtnAriaLabel={t('scale.more')}
          onMinus={() => set(wanted - 1)}
          onPlus={() => set(wanted + 1)}
          onChange={({ currentTarget: { value }, type }) => {
            // The component makes 0 of an empty field that is left: it goes back to how many there are instead.
            if (type === 'blur') setReplicas(wanted);
            else if (value === '') setReplicas('');
            else set(Number(value));
          }}
        />
      </FormGroup>
      {isChanged && <ConsequencesPreview change={change} />}
    </DeedDialog>
  );
}

/** Refused when somebody else scaled the pool, or moved it, since the dialog was opened. */
function scaleTo({ index = 0, name, replicas: before }: Pool, replicas: number): ReturnType<typeof jsonPatch> {
  const path = `/spec/nodePools/${index}`;
  return jsonPatch([
    { op: 'test', path: `${path}/name`, value: name },
    { op: 'test', path: `${path}/replicas`, value: before },
    { op: 'replace', path: `${path}/replicas`, value: replicas },
  ]);
}
