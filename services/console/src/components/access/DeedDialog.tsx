import { Button, Form, Modal, ModalBody, ModalFooter, ModalHeader, type ModalProps } from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import { useId, type ReactElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedError } from './DeedError.js';

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
  /** Buttons for other ways to do it, beside the first one. */
  readonly otherwise?: ReactNode;
  readonly children: ReactNode;
}

/** Asks for what one deed needs, does it, and closes; says why when it was refused. */
export function DeedDialog(props: DeedDialogProps): ReactElement {
  const { title, submit, isDanger = false, isReady = true, variant = 'small', onSubmit, onClose } = props;
  const { t } = useTranslation();
  const ids = { label: useId(), form: useId() };
  const { mutate, isPending, error } = useMutation({ mutationFn: onSubmit, onSuccess: onClose });
  const giveUp = (): void => {
    if (!isPending) onClose();
  };
  return (
    <Modal isOpen variant={variant} onClose={giveUp} aria-labelledby={ids.label}>
      <ModalHeader title={title} labelId={ids.label} {...(isDanger ? { titleIconVariant: 'danger' as const } : {})} />
      <ModalBody>
        <Form
          id={ids.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady && !isPending) mutate();
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
          isLoading={isPending}
        >
          {submit}
        </Button>
        {props.otherwise}
        <Button variant="link" isAriaDisabled={isPending} onClick={giveUp}>
          {t('actions.cancel')}
        </Button>
      </ModalFooter>
    </Modal>
  );
}
