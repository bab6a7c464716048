import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState, type ReactElement } from 'react';
import type { JsonSchema } from '../yaml-editor/json-schema.js';
import { valueAt, withValue, type DocumentPath } from './document-path.js';
import { FieldsProvider, type FieldState } from './fields-context.js';
import { SchemaFields } from './SchemaFields.js';

function Form({ schema, value }: { readonly schema: JsonSchema; readonly value?: unknown }): ReactElement {
  const [document, setDocument] = useState<object>({ spec: { ca: value } });
  const stateOf = (path: DocumentPath): FieldState => ({
    value: valueAt(document, path),
    filled: undefined,
    errors: [],
    set: (next) => setDocument(withValue(document, path, next)),
  });
  return (
    <FieldsProvider value={stateOf}>
      <SchemaFields schema={{ properties: { ca: { type: 'string', ...schema } } }} path={['spec']} none="As usual" />
      <output>{JSON.stringify(document)}</output>
    </FieldsProvider>
  );
}
const stated = (): unknown => JSON.parse(screen.getByRole('status').textContent);

describe('a text', () => {
  afterEach(cleanup);
  const box = (): HTMLElement => screen.getByRole('textbox', { name: 'ca' });

  it('of several lines keeps its breaks when something is added, and its place when they go', async () => {
    render(<Form schema={{ maxLength: 80 }} value={'a\nb'} />);
    await userEvent.type(box(), 'c');
    expect(stated()).toEqual({ spec: { ca: 'a\nbc' } });
    await userEvent.type(box(), '{Backspace}{Backspace}{Backspace}d');
    expect(stated()).toEqual({ spec: { ca: 'ad' } });
  });

  it.each([
    { reason: 'nothing says how long it is', schema: {}, isLong: true },
    { reason: 'it may be long', schema: { maxLength: 100_000 }, isLong: true },
    { reason: 'it usually has some', schema: { maxLength: 80, default: 'a\nb' }, isLong: true },
    { reason: 'it is short', schema: { maxLength: 80 }, isLong: false },
    { reason: 'it is of a form', schema: { pattern: '^a' }, isLong: false },
  ])('takes several lines or not, as $reason', ({ schema, isLong }) => {
    render(<Form schema={schema} />);
    expect(box().tagName).toBe(isLong ? 'TEXTAREA' : 'INPUT');
  });
});

describe('a number', () => {
  afterEach(cleanup);

  it.each([
    { reason: 'it is whole', schema: { type: 'integer', minimum: 0 }, inputMode: 'numeric' },
    { reason: 'it has a point', schema: { type: 'number', minimum: 0 }, inputMode: 'decimal' },
    { reason: 'it may be below nothing', schema: { type: 'integer', minimum: -5 }, inputMode: 'text' },
    { reason: 'nothing says that it is not', schema: { type: 'number' }, inputMode: 'text' },
  ])('is typed on the keys of a phone that it needs, as $reason', ({ schema, inputMode }) => {
    render(<Form schema={schema} />);
    expect(screen.getByRole('spinbutton', { name: 'ca' })).toHaveAttribute('inputmode', inputMode);
  });

  it.each([
    { typed: '1.05', states: 1.05 },
    { typed: '0.05', states: 0.05 },
    { typed: '-0.5', states: -0.5 },
    { typed: '10{Backspace}.0{Backspace}5', states: 1.5 },
  ])('states $states once it is typed to its end as $typed', async ({ typed, states }) => {
    render(<Form schema={{ type: 'number' }} />);
    await userEvent.type(screen.getByRole('spinbutton', { name: 'ca' }), typed);
    expect(stated()).toEqual({ spec: { ca: states } });
  });

  it.each([
    { typed: '9007199254740991', states: 9_007_199_254_740_991 },
    { typed: '-9007199254740991', states: -9_007_199_254_740_991 },
    { typed: '007', states: 7 },
  ])('is stated as typed, to the last digit: $typed', async ({ typed, states }) => {
    render(<Form schema={{ type: 'integer' }} />);
    await userEvent.type(screen.getByRole('spinbutton', { name: 'ca' }), typed);
    expect(stated()).toEqual({ spec: { ca: states } });
  });

  it.each(['9007199254740993', '-9007199254740993', '1152921504606846976'])(
    'is no other one where it has more digits than are kept, and is objected to: %s',
    async (typed) => {
      render(<Form schema={{ type: 'integer' }} />);
      const box = screen.getByRole('spinbutton', { name: 'ca' });
      await userEvent.type(box, typed);
      expect(stated()).toEqual({ spec: { ca: typed } });
      expect(box).toHaveDisplayValue(typed);
      expect(box).toHaveAccessibleDescription(/more digits than are kept/);
    },
  );

  it('is what is stated now, when something else than typing stated it', async () => {
    const stating = (value: number): ReactElement => (
      <FieldsProvider value={() => ({ value, filled: undefined, errors: [], set: () => undefined })}>
        <SchemaFields schema={{ properties: { ca: { type: 'number' } } }} path={['spec']} none="As usual" />
      </FieldsProvider>
    );
    const { rerender } = render(stating(1));
    const box = screen.getByRole('spinbutton', { name: 'ca' });
    await userEvent.type(box, '.0');
    expect(box).toHaveDisplayValue('1.0');
    rerender(stating(2));
    expect(box).toHaveDisplayValue('2');
  });
});

describe('several values', () => {
  afterEach(cleanup);
  const LIST = { type: 'array', items: { type: 'string' } };

  it('are typed a line each, and stay as they are typed meanwhile', async () => {
    render(<Form schema={LIST} value={['a']} />);
    const box = screen.getByRole('textbox', { name: 'ca' });
    await userEvent.type(box, '{Enter} b {Enter}');
    expect(stated()).toEqual({ spec: { ca: ['a', 'b'] } });
    expect(box).toHaveDisplayValue('a\n b \n');
  });

  it('are not taken to pieces where one is of several lines', () => {
    render(<Form schema={LIST} value={['a\nb']} />);
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(screen.getByText('“ca” can be stated in the YAML.')).toBeVisible();
  });
});

describe('what is not stated any more, or as nothing', () => {
  afterEach(cleanup);

  it('is the empty text, where the usual one is another', async () => {
    render(<Form schema={{ default: 'letsencrypt' }} />);
    await userEvent.click(screen.getByRole('button', { name: 'Leave empty: ca' }));
    expect(stated()).toEqual({ spec: { ca: '' } });
    expect(screen.getByText(/Stated as empty/)).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Reset: ca' }));
    expect(stated()).toEqual({});
  });

  it('is a switch, which goes back to what is usual', async () => {
    render(<Form schema={{ type: 'boolean', default: true }} value={false} />);
    expect(screen.getByRole('switch', { name: 'ca' })).not.toBeChecked();
    await userEvent.click(screen.getByRole('button', { name: 'Reset: ca' }));
    expect(stated()).toEqual({});
    expect(screen.getByRole('switch', { name: 'ca' })).toBeChecked();
  });

  it.each([{}, { default: 'a', minLength: 1 }, { default: 'a', pattern: '^a' }])(
    'is not offered where it says nothing else, or is refused: %j',
    (schema) => {
      render(<Form schema={schema} />);
      expect(screen.queryByRole('button')).toBeNull();
    },
  );
});

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
