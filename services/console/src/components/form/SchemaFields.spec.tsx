import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { FieldsProvider } from './fields-context.js';
import { SchemaFields } from './SchemaFields.js';

describe('a choice among the values of a schema', () => {
  afterEach(cleanup);

  it.each([
    { type: 'integer', members: [1, 3, 5], value: 3, chosen: '5', set: 5 },
    { type: 'number', members: [0.5, 1], value: 1, chosen: '0.5', set: 0.5 },
    { type: 'boolean', members: [true, false], value: true, chosen: 'false', set: false },
    { type: 'string', members: ['3', '5'], value: '3', chosen: '5', set: '5' },
    { type: 'integer', members: [1, 3], value: 3, chosen: 'As usual', set: undefined },
  ])('of type $type states $set', async ({ type, members, value, chosen, set }) => {
    const onSet = jest.fn();
    render(
      <FieldsProvider value={() => ({ value, filled: undefined, errors: [], set: onSet })}>
        <SchemaFields schema={{ properties: { size: { type, enum: members } } }} path={['spec']} none="As usual" />
      </FieldsProvider>,
    );
    const choice = screen.getByRole('combobox', { name: 'size' });
    expect(choice).toHaveValue(String(value));
    await userEvent.selectOptions(choice, chosen);
    expect(onSet).toHaveBeenCalledWith(set);
  });
});
