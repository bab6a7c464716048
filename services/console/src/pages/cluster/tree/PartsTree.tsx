import { Icon, TreeView, type TreeViewDataItem } from '@patternfly/react-core';
import { CheckCircleIcon } from '@patternfly/react-icons/dist/esm/icons/check-circle-icon';
import { ExclamationCircleIcon } from '@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon';
import { ExclamationTriangleIcon } from '@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon';
import { InProgressIcon } from '@patternfly/react-icons/dist/esm/icons/in-progress-icon';
import { QuestionCircleIcon } from '@patternfly/react-icons/dist/esm/icons/question-circle-icon';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Name } from '../../../components/Name.js';
import type { Texts } from '../texts.js';
import { stateOf, type PartState, type TreeNode } from './tree-node.js';

const ICONS: Readonly<Record<PartState, ReactElement>> = {
  ok: <CheckCircleIcon />,
  gone: <QuestionCircleIcon />,
  unknown: <QuestionCircleIcon />,
  working: <InProgressIcon />,
  warning: <ExclamationTriangleIcon />,
  failing: <ExclamationCircleIcon />,
};

const STATUS = { ok: 'success', working: 'info', warning: 'warning', failing: 'danger' } as const;

/** The parts of a cluster as a tree for mouse, keyboard and screen reader; what is not well is open. */
export function PartsTree({ tree }: { readonly tree: TreeNode }): ReactElement {
  const { t } = useTranslation('cluster');
  return <TreeView aria-label={t('tree.title')} data={[itemOf(t, tree, true)]} hasGuides />;
}

function itemOf(t: Texts, node: TreeNode, isRoot = false): TreeViewDataItem {
  const state = stateOf(node);
  const { id, kind, name, message, children, isGroup = false } = node;
  const said = message === '' ? '' : `: ${t(`tree.message.${message}`, { defaultValue: message })}`;
  const what = `${t(`tree.kind.${kind}`, { defaultValue: kind })} ${name}${isGroup ? ` (${children.length})` : ''}`;
  return {
    id,
    name: <Name>{`${what} – ${t(`tree.state.${state}`)}${said}`}</Name>,
    icon: <Icon {...(state in STATUS ? { status: STATUS[state as keyof typeof STATUS] } : {})}>{ICONS[state]}</Icon>,
    defaultExpanded: isRoot || state !== 'ok',
    ...(children.length === 0 ? {} : { children: children.map((child) => itemOf(t, child)) }),
  };
}
