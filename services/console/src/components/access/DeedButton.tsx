import { Button, Tooltip, type ButtonProps, type TooltipProps } from '@patternfly/react-core';
import { useRef, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay, type Deed } from './use-may.js';

interface DeedButtonProps extends Omit<ButtonProps, 'isAriaDisabled' | 'isDisabled' | 'ref'> {
  readonly needs: Deed;
  /** Why it cannot be pressed now, apart from what the person may. */
  readonly refusal?: string | undefined;
}

/** Above the middle of the button, or, where the window ends too soon, from one of its edges on. */
const PLACES: TooltipProps['flipBehavior'] = ['top-start', 'top-end', 'bottom-start', 'bottom-end'];

/** A button for what not everybody may do: it stays in its place, and says why it does nothing. While it is loading, it does nothing more. */
export function DeedButton({ needs, refusal, ...props }: DeedButtonProps): ReactElement {
  const { t } = useTranslation();
  const may = useMay(needs);
  const reason = may ? refusal : t('may.not', { verb: t(`may.${needs.verb}`), what: needs.kind.kind });
  const button = useRef<HTMLButtonElement>(null);
  // Beside it, not around it: the button stays the same one, and keeps the focus, when the answer comes.
  return (
    <>
      <Button {...props} ref={button} isAriaDisabled={reason !== undefined || props.isLoading === true} />
      {reason !== undefined && <Tooltip content={reason} triggerRef={button} flipBehavior={PLACES} />}
    </>
  );
}
