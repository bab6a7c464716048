import { Button, ClipboardCopy, Modal, ModalBody, ModalFooter, ModalHeader } from '@patternfly/react-core';
import { useId, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** A token that was just issued. */
export interface ShownToken {
  readonly name: string;
  readonly token: string;
  readonly expiresAt: string | undefined;
}

/** Shows a token the one time that it can be seen, until the button says "I have it": a cross, or Escape, is pressed by habit. */
export function TokenDialog({
  shown,
  onClose,
}: {
  readonly shown: ShownToken;
  readonly onClose: () => void;
}): ReactElement {
  const { t } = useTranslation('projects');
  const ids = { label: useId(), token: useId() };
  return (
    <Modal isOpen variant="small" elementToFocus={`[id="${ids.token}"]`} aria-labelledby={ids.label}>
      <ModalHeader title={t('key.shownTitle', { name: shown.name })} labelId={ids.label} />
      <ModalBody>
        <p>{t('key.shownBody')}</p>
        <ClipboardCopy
          isReadOnly
          inputId={ids.token}
          textAriaLabel={t('key.token')}
          hoverTip={t('common:copy.copy')}
          clickTip={t('common:copy.copied')}
        >
          {shown.token}
        </ClipboardCopy>
        {shown.expiresAt !== undefined && <p>{t('key.until', { when: new Date(shown.expiresAt).toLocaleString() })}</p>}
      </ModalBody>
      <ModalFooter>
        <Button onClick={onClose}>{t('key.done')}</Button>
      </ModalFooter>
    </Modal>
  );
}
