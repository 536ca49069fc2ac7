import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import css from './audit.module.css';

export interface AuditFilter {
  import_id?: number;
  submission_id?: number;
  actor?: string;
  action?: string;
}

type Texts = Record<'import_id' | 'submission_id' | 'actor' | 'action', string>;

interface FilterFormProps {
  filter: AuditFilter;
  /** Known actions, as suggestions. */
  actions: readonly string[];
  onFilter(filter: AuditFilter): void;
}

const NO_NUMBER = 'Enter a number.';

/** The search for events. The service compares each value as a whole. */
export function FilterForm({ filter, actions, onFilter }: FilterFormProps) {
  const [texts, setTexts] = useState<Texts>({
    import_id: String(filter.import_id ?? ''),
    submission_id: String(filter.submission_id ?? ''),
    actor: filter.actor ?? '',
    action: filter.action ?? '',
  });
  const [faults, setFaults] = useState<Partial<Texts>>({});
  const put = (name: keyof Texts) => (event: { currentTarget: HTMLInputElement }) =>
    setTexts({ ...texts, [name]: event.currentTarget.value });

  const search = (event: SubmitEvent) => {
    event.preventDefault();
    const wrong = (['import_id', 'submission_id'] as const).filter((name) => !isId(texts[name].trim()));
    setFaults(Object.fromEntries(wrong.map((name) => [name, NO_NUMBER])));
    if (wrong.length === 0) onFilter(filterOf(texts));
  };
  const clear = () => {
    setTexts({ import_id: '', submission_id: '', actor: '', action: '' });
    setFaults({});
    onFilter({});
  };
  return (
    <search>
      <form class={`toolbar ${css.filter}`} onSubmit={search}>
        <Field label="Import" fault={faults.import_id ?? null}>
          <input inputMode="numeric" value={texts.import_id} onInput={put('import_id')} />
        </Field>
        <Field label="Submission" fault={faults.submission_id ?? null}>
          <input inputMode="numeric" value={texts.submission_id} onInput={put('submission_id')} />
        </Field>
        <Field label="Actor">
          <input
            placeholder="client:demo-client"
            spellcheck={false}
            value={texts.actor}
            onInput={put('actor')}
          />
        </Field>
        <Field label="Action">
          <input
            list="audit-actions"
            placeholder="submission.regulator_inserted"
            spellcheck={false}
            value={texts.action}
            onInput={put('action')}
          />
        </Field>
        <datalist id="audit-actions">
          {actions.map((action) => (
            <option key={action} value={action} />
          ))}
        </datalist>
        <Button type="submit" kind="primary">
          Search
        </Button>
        <Button onClick={clear}>Clear</Button>
      </form>
    </search>
  );
}

const isId = (text: string): boolean => text === '' || /^[1-9][0-9]*$/.test(text);

function filterOf(texts: Texts): AuditFilter {
  const given = Object.entries(texts).flatMap(([name, text]) => {
    const value = text.trim();
    return value === '' ? [] : [[name, name.endsWith('_id') ? Number(value) : value]];
  });
  return Object.fromEntries(given) as AuditFilter;
}
