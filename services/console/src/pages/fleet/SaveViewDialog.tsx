import {
  Button,
  Form,
  FormGroup,
  FormHelperText,
  HelperText,
  HelperTextItem,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
  TextInput,
} from '@patternfly/react-core';
import { useState, type FormEvent, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { FleetSearch } from './fleet-search.js';
import { useSavedViews } from './saved-views.js';

interface SaveViewDialogProps {
  readonly search: FleetSearch;
  readonly onClose: () => void;
}

/** Asks for the name of a view. */
export function SaveViewDialog({ search, onClose }: SaveViewDialogProps): ReactElement {
  const { t } = useTranslation('fleet');
  const { t: tCommon } = useTranslation();
  const [name, setName] = useState('');
  const { views, save: keep } = useSavedViews();
  const isTaken = views.some((view) => view.name === name.trim());
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() === '') return;
    keep({ name: name.trim(), search });
    onClose();
  };
  return (
    <Modal isOpen onClose={onClose} variant="small" aria-labelledby="save-view">
      <ModalHeader title={t('saveView')} labelId="save-view" />
      <ModalBody>
        <Form id="save-view-form" onSubmit={save}>
          <FormGroup label={t('viewName')} fieldId="view-name" isRequired>
            <TextInput id="view-name" isRequired value={name} onChange={(_event, value) => setName(value)} />
            <FormHelperText>
              <HelperText>
                <HelperTextItem>{t(isTaken ? 'viewTaken' : 'viewHelp')}</HelperTextItem>
              </HelperText>
            </FormHelperText>
          </FormGroup>
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button type="submit" form="save-view-form" isDisabled={name.trim() === ''}>
          {tCommon('actions.save')}
        </Button>
        <Button variant="link" onClick={onClose}>
          {tCommon('actions.cancel')}
        </Button>
      </ModalFooter>
    </Modal>
  );
}
