import { useState } from 'preact/hooks';
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
  const faultOf = (name: string) => (wrong.includes(name) ? 'Enter a number.' : null);
  return (
    <search>
      <form class="toolbar" onSubmit={search}>
        <Field label="Import" fault={faultOf('import_id')}>
          <input name="import_id" inputMode="numeric" defaultValue={`${filter.import_id ?? ''}`} />
        </Field>
        <Field label="Submission" fault={faultOf('submission_id')}>
          <input name="submission_id" inputMode="numeric" defaultValue={`${filter.submission_id ?? ''}`} />
        </Field>
        <Field label="Actor">
          <input
            name="actor"
            placeholder="client:demo-client"
            spellcheck={false}
            defaultValue={filter.actor ?? ''}
          />
        </Field>
        <Field label="Action">
          <input
            name="action"
            list="audit-actions"
            placeholder="submission.regulator_inserted"
            spellcheck={false}
            defaultValue={filter.action ?? ''}
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
        <Button type="reset" onClick={clear}>
          Clear
        </Button>
      </form>
    </search>
  );
}

/** A positive number. */
export const idIn = (text: string): number | null => (/^[1-9][0-9]*$/.test(text) ? Number(text) : null);
