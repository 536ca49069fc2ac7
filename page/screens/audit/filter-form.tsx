import { useState } from 'preact/hooks';
import { idIn } from '../../../src/contract/limits.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';

export interface AuditFilter {
  import_id?: number;
  submission_id?: number;
  actor?: string;
  action?: string;
}

interface FilterFormProps {
  filter: AuditFilter;
  /** Known actions, as suggestions. */
  actions: readonly string[];
  onFilter(filter: AuditFilter): void;
}

const FIELDS = [
  { label: 'Import', name: 'import_id', inputMode: 'numeric' },
  { label: 'Submission', name: 'submission_id', inputMode: 'numeric' },
  { label: 'Actor', name: 'actor', placeholder: 'client:demo-client' },
  { label: 'Action', name: 'action', placeholder: 'submission.regulator_inserted', list: 'audit-actions' },
] as const;

/** The search for events. The service compares each value as a whole. Another filter draws the form again. */
export function FilterForm({ filter, actions, onFilter }: FilterFormProps) {
  const [wrong, setWrong] = useState<readonly string[]>([]);
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    const given = [...new FormData(event.currentTarget as HTMLFormElement)].flatMap(([name, value]) => {
      const text = String(value).trim();
      return text === '' ? [] : [[name, name.endsWith('_id') ? idIn(text) : text] as const];
    });
    const faulty = given.filter(([, value]) => value === null).map(([name]) => name);
    setWrong(faulty);
    if (faulty.length === 0) onFilter(Object.fromEntries(given));
  };
  const clear = () => {
    setWrong([]);
    onFilter({});
  };
  return (
    <search>
      <form class="toolbar" onSubmit={search}>
        {FIELDS.map(({ label, ...input }) => (
          <Field key={input.name} label={label} fault={wrong.includes(input.name) ? 'Enter a number.' : null}>
            <input {...input} spellcheck={false} defaultValue={`${filter[input.name] ?? ''}`} />
          </Field>
        ))}
        <datalist id="audit-actions">
          {actions.map((action) => (
            <option key={action} value={action} />
          ))}
        </datalist>
        <Button type="submit" kind="primary">
          Search
        </Button>
        <Button type="reset" onClick={clear}>
          Clear
        </Button>
      </form>
    </search>
  );
}
