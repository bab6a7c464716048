import {
  Button,
  Form,
  FormGroup,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
  NumberInput,
} from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import { useDeferredValue, useId, useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedError } from '../../../components/access/DeedError.js';
import { ConsequencesPreview } from '../ConsequencesPreview.js';
import { jsonPatch, writeCluster } from '../dry-run.js';
import { useClusterKey } from '../use-cluster-key.js';
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
  const ids = { label: useId(), replicas: useId() };
  const [opened] = useState(pool);
  // Nothing while the field is empty, which is no number.
  const [replicas, setReplicas] = useState<number | ''>(pool.replicas);
  const wanted = replicas === '' ? opened.replicas : replicas;
  const shown = useDeferredValue(wanted);
  const change = useMemo(() => scaleTo(opened, shown), [opened, shown]);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => writeCluster(key, scaleTo(opened, wanted)),
    onSuccess: onClose,
  });
  const set = (value: number): void => setReplicas(Math.min(MOST, Math.max(0, value)));
  return (
    <Modal isOpen variant="medium" onClose={onClose} aria-labelledby={ids.label}>
      <ModalHeader title={t('scale.title', { name: opened.name })} labelId={ids.label} />
      <ModalBody>
        <Form onSubmit={(event) => event.preventDefault()}>
          <FormGroup label={t('scale.replicas')} fieldId={ids.replicas}>
            <NumberInput
              id={ids.replicas}
              inputProps={{ id: ids.replicas }}
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
          {shown !== opened.replicas && <ConsequencesPreview change={change} />}
          <DeedError error={error} />
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button isDisabled={wanted === opened.replicas || isPending} isLoading={isPending} onClick={() => mutate()}>
          {t('scale.submit')}
        </Button>
        <Button variant="link" onClick={onClose}>
          {t('common:actions.cancel')}
        </Button>
      </ModalFooter>
    </Modal>
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
