import type { KeyboardEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { BOX, type Placed } from './graph-layout.js';

const MARGIN = 8;
/** There is a sign in the corner of a group. */
const MARGIN_OF_GROUP = 26;

interface PartBoxProps {
  readonly placed: Placed;
  readonly isOpen: boolean;
  /** Of a group: shows what is in it, or no longer. */
  readonly onToggle?: () => void;
}

/** A part in the graph: what it is, how it stands, and its name. A group is a button that opens it. */
export function PartBox({ placed: { node, state, x, y }, isOpen, onToggle }: PartBoxProps): ReactElement {
  const { t } = useTranslation('cluster');
  const { kind, name, message } = node;
  const said = message === '' ? '' : `, ${t(`tree.message.${message}`, { defaultValue: message })}`;
  const words = `${t(`tree.kind.${kind}`, { defaultValue: kind })} ${name}: ${t(`tree.state.${state}`)}${said}`;
  const margin = onToggle ? MARGIN_OF_GROUP : MARGIN;
  return (
    <g
      className={`crate-part crate-part-${state}`}
      {...(onToggle
        ? { role: 'button', 'aria-expanded': isOpen, onClick: onToggle, onKeyDown: pressing(onToggle) }
        : { role: 'img', 'aria-label': words })}
      tabIndex={0}
      transform={`translate(${x - BOX.width / 2} ${y - BOX.height / 2})`}
    >
      {/* A button is called what it shows. */}
      {!onToggle && <title>{words}</title>}
      <rect width={BOX.width} height={BOX.height} rx={6} />
      <text x={12} y={22}>
        {t(`tree.kind.${kind}`, { defaultValue: kind })} · {t(`tree.state.${state}`)}{' '}
      </text>
      {/* Long names are cut by the box, and not in words: what is seen is part of what is said. */}
      <svg width={BOX.width - margin} height={BOX.height}>
        <text x={12} y={42} className="crate-part-name">
          {name}
        </text>
      </svg>
      {onToggle && <GroupSign isOpen={isOpen} />}
    </g>
  );
}

/** A plus, or a minus where pressing closes. */
function GroupSign({ isOpen }: { readonly isOpen: boolean }): ReactElement {
  return (
    <path
      d={isOpen ? 'M-5 0H5' : 'M-5 0H5M0 -5V5'}
      stroke="currentColor"
      strokeWidth={2}
      transform={`translate(${BOX.width - 16} 38)`}
    />
  );
}

/** The keys that press a button. */
function pressing(press: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    press();
  };
}
