import { Button, Form, Modal, ModalBody, ModalFooter, ModalHeader, type ModalProps } from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import { useId, type ReactElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedButton } from './DeedButton.js';
import { DeedError } from './DeedError.js';
import type { Deed } from './use-may.js';

/** Another way to do it. */
interface OtherWay {
  readonly words: string;
  readonly needs: Deed;
  /** Gives the way on once it is done, for who has not left the page meanwhile. */
  readonly onSubmit: () => Promise<() => void>;
}

interface DeedDialogProps {
  readonly title: string;
  /** Words of the button that does it. */
  readonly submit: string;
  readonly isDanger?: boolean;
  /** False while something that is needed is not filled in. */
  readonly isReady?: boolean;
  readonly variant?: ModalProps['variant'];
  readonly onSubmit: () => Promise<unknown>;
  /** Closed, done or given up; not while it is under way: then nobody would learn how it ended. */
  readonly onClose: () => void;
  /** Its button is beside the first one; while one of them is under way the other does nothing. */
  readonly otherwise?: OtherWay;
  readonly children: ReactNode;
}

/** Asks for what one deed needs, does it, and closes; says why when it was refused. */
export function DeedDialog(props: DeedDialogProps): ReactElement {
  const { title, submit, isDanger = false, isReady = true, variant = 'small', onSubmit, onClose, otherwise } = props;
  const { t } = useTranslation();
  const ids = { label: useId(), body: useId(), form: useId() };
  const {
    mutate,
    isPending,
    variables: other,
    error,
  } = useMutation({
    mutationFn: async (way?: OtherWay) => (way ? way.onSubmit() : void (await onSubmit())),
    onSuccess: (_done, way) => {
      if (!way) onClose();
    },
  });
  const beginOther = (way: OtherWay): void => {
    const onSuccess = (goOn: (() => void) | void): void => {
      onClose();
      goOn?.();
    };
    if (!isPending) mutate(way, { onSuccess });
  };
  const giveUp = (): void => {
    if (!isPending) onClose();
  };
  return (
    <Modal
      isOpen
      variant={variant}
      onClose={giveUp}
      aria-labelledby={ids.label}
      // What it takes with it is heard with the title.
      {...(isDanger ? { 'aria-describedby': ids.body } : {})}
    >
      <ModalHeader title={title} labelId={ids.label} {...(isDanger ? { titleIconVariant: 'danger' as const } : {})} />
      <ModalBody id={ids.body}>
        <Form
          id={ids.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady && !isPending) mutate(undefined);
          }}
        >
          {props.children}
          <DeedError error={error} />
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button
          type="submit"
          form={ids.form}
          variant={isDanger ? 'danger' : 'primary'}
          // While it is under way it keeps the focus: a refusal is read where the person is.
          isDisabled={!isReady && !isPending}
          isAriaDisabled={isPending}
          isLoading={isPending && !other}
        >
          {submit}
        </Button>
        {otherwise && (
          <DeedButton
            variant="secondary"
            needs={otherwise.needs}
            isLoading={isPending && other !== undefined}
            onClick={() => beginOther(otherwise)}
          >
            {otherwise.words}
          </DeedButton>
        )}
        <Button variant="link" isAriaDisabled={isPending} onClick={giveUp}>
          {t('actions.cancel')}
        </Button>
      </ModalFooter>
    </Modal>
  );
}
