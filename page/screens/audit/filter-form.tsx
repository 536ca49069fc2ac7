import { Button } from '../../ui/button.tsx';
import { entriesOf, Field } from '../../ui/field.tsx';

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
  /** Called with the texts of the fields, of which some may be empty. */
  onFilter(texts: Record<string, string>): void;
}

const ID = { inputMode: 'numeric', pattern: '\\s*[1-9][0-9]{0,15}\\s*', title: 'A number' } as const;
const FIELDS = [
  { label: 'Import', name: 'import_id', ...ID },
  { label: 'Submission', name: 'submission_id', ...ID },
  { label: 'Actor', name: 'actor', placeholder: 'client:demo-client' },
  { label: 'Action', name: 'action', placeholder: 'submission.regulator_inserted', list: 'audit-actions' },
] as const;

/** The search for events. The service compares each value as a whole. Another filter draws the form again. */
export function FilterForm({ filter, actions, onFilter }: FilterFormProps) {
  const search = (event: SubmitEvent) => {
    const given = [...entriesOf(event)].map(([name, value]) => [name, String(value).trim()]);
    onFilter(Object.fromEntries(given));
  };
  return (
    <search>
      <form class="toolbar" onSubmit={search}>
        {FIELDS.map(({ label, ...input }) => (
          <Field key={input.name} label={label}>
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
        <Button type="reset" onClick={() => onFilter({})}>
          Clear
        </Button>
      </form>
    </search>
  );
}
