import type { Project, ProjectRole } from '@crate/api';
import { Flex, FormSelect, FormSelectOption, Stack, StackItem } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { useSession } from '../../app/session-context.js';
import { DeedButton } from '../../components/access/DeedButton.js';
import { DeedDialog } from '../../components/access/DeedDialog.js';
import { DeedError } from '../../components/access/DeedError.js';
import { useMay, type Deed } from '../../components/access/use-may.js';
import { AddMemberDialog, ROLES } from './AddMemberDialog.js';
import { useProject } from './project-context.js';
import { saveMembers } from './project-writes.js';

type Member = Project['spec']['members'][number];

/** Who may do what in the Project. */
export function MembersTab(): ReactElement {
  const { t } = useTranslation('projects');
  const project = useProject();
  const { name } = project.metadata;
  const { members } = project.spec;
  const needs: Deed = { verb: 'patch', kind: KINDS.project, namespace: name, name };
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Member>();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (next: Member) =>
      saveMembers(
        project,
        members.map((each) => (isSame(each, next) ? next : each)),
      ),
  });
  return (
    <Stack hasGutter>
      <StackItem>
        <DeedButton needs={needs} onClick={() => setAdding(true)}>
          {t('member.add')}
        </DeedButton>
      </StackItem>
      {members.length > 0 && <StackItem>{t('member.roles')}</StackItem>}
      <StackItem>
        <DeedError error={error} />
        {members.length === 0 ? (
          <p>{t('member.none')}</p>
        ) : (
          <MemberTable
            members={members}
            needs={needs}
            isBusy={isPending}
            onChange={(member) => mutate(member)}
            onRemove={setRemoved}
          />
        )}
      </StackItem>
      {isAdding && <AddMemberDialog onClose={() => setAdding(false)} />}
      {removed && <RemoveDialog member={removed} onClose={() => setRemoved(undefined)} />}
    </Stack>
  );
}

interface MemberTableProps {
  readonly members: readonly Member[];
  readonly needs: Deed;
  readonly isBusy: boolean;
  /** A member with another role. */
  readonly onChange: (member: Member) => void;
  readonly onRemove: (member: Member) => void;
}

function MemberTable({ members, ...deeds }: MemberTableProps): ReactElement {
  const { t } = useTranslation('projects');
  return (
    <Table aria-label={t('member.title')} variant="compact" gridBreakPoint="grid-md">
      <Thead>
        <Tr>
          <Th>{t('member.name')}</Th>
          <Th>{t('member.kind')}</Th>
          <Th>{t('member.role')}</Th>
          <Th screenReaderText={t('col.actions')} />
        </Tr>
      </Thead>
      <Tbody>
        {members.map((member) => (
          <MemberRow key={`${member.kind}/${member.name}`} member={member} {...deeds} />
        ))}
      </Tbody>
    </Table>
  );
}

interface MemberRowProps extends Omit<MemberTableProps, 'members'> {
  readonly member: Member;
}

function MemberRow({ member, needs, isBusy, onChange, onRemove }: MemberRowProps): ReactElement {
  const { t } = useTranslation('projects');
  const may = useMay(needs);
  const { kind, name, role } = member;
  const [chosen, setChosen] = useChosenRole(role);
  return (
    <Tr>
      <Td dataLabel={t('member.name')} modifier="breakWord">
        {name}
      </Td>
      <Td dataLabel={t('member.kind')}>{t(`member.${kind}`)}</Td>
      <Td dataLabel={t('member.role')}>
        <FormSelect
          aria-label={t('member.roleOf', { name })}
          value={chosen}
          isDisabled={!may || isBusy}
          onChange={(_, next) => setChosen(next as ProjectRole)}
        >
          {ROLES.map((each) => (
            <FormSelectOption key={each} value={each} label={t(`member.short.${each}`)} />
          ))}
        </FormSelect>
      </Td>
      <Td dataLabel={t('col.actions')}>
        <Flex>
          <DeedButton
            size="sm"
            needs={needs}
            refusal={chosen === role ? t('member.sameRole') : undefined}
            isLoading={isBusy && chosen !== role}
            aria-label={t('member.saveOf', { name })}
            onClick={() => !isBusy && onChange({ ...member, role: chosen })}
          >
            {t('common:actions.save')}
          </DeedButton>
          <DeedButton
            variant="secondary"
            size="sm"
            needs={needs}
            aria-label={t('member.removeOf', { name })}
            onClick={() => onRemove(member)}
          >
            {t('member.remove')}
          </DeedButton>
        </Flex>
      </Td>
    </Tr>
  );
}

/** The role that is chosen and not saved yet; begins anew whenever the member has another one. */
function useChosenRole(role: ProjectRole): readonly [ProjectRole, choose: (role: ProjectRole) => void] {
  const [draft, setDraft] = useState({ role, chosen: role });
  if (draft.role !== role) setDraft({ role, chosen: role });
  return [draft.chosen, (chosen) => setDraft({ role, chosen })];
}

function RemoveDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation('projects');
  const project = useProject();
  const { user } = useSession();
  const { name, kind } = member;
  const rest = project.spec.members.filter((each) => !isSame(each, member));
  return (
    <DeedDialog
      isDanger
      title={t('member.removeTitle', { name })}
      submit={t('member.remove')}
      onSubmit={() => saveMembers(project, rest)}
      onClose={onClose}
    >
      <p>{t('member.removeBody')}</p>
      {kind === 'User' && name === user && <p>{t('member.self')}</p>}
    </DeedDialog>
  );
}

function isSame(left: Member, right: Member): boolean {
  return left.kind === right.kind && left.name === right.name;
}
