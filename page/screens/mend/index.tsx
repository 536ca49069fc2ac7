/** A product file that failed: its text, the findings of a dry run after each pause, the changes, and the import. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import type { Reason } from '../../../src/contract/types.ts';
import { call } from '../../api/client.ts';
import { sendPackage } from '../../api/send-package.ts';
import { useLoaded } from '../../api/use-data.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { ActionError, useAction } from '../../ui/actions.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Diff } from '../../ui/diff-view.tsx';
import { Field } from '../../ui/field.tsx';
import { encodeXml, loadXml } from '../../ui/product-file.ts';
import { LoadedContent, Screen } from '../../ui/states.tsx';
import { Findings, useFirstFinding } from './findings.tsx';
import css from './mend.module.css';
import { type Check, useCheck, useDraft } from './use-text.ts';

export default function MendScreen() {
  const { id = '', file = '' } = useRoute().params;
  const { submission } = useLocation().query;
  const original = useLoaded(
    async (signal) => {
      const [text, failures] = await Promise.all([
        loadXml('getFailedFile', { id, xml_file: file }, signal),
        failuresOf(submission),
      ]);
      // Line ends as the browser keeps them: other line ends are no change.
      return { text: text.replace(/\r\n?/g, '\n'), failures };
    },
    [id, file, submission],
  );
  return (
    <Screen
      title={`Correct ${file}`}
      actions={<ButtonLink href={to(`imports/${id}`)}>Back to import {id}</ButtonLink>}
    >
      <LoadedContent of={original}>
        {(loaded) => <Editor importId={Number(id)} xmlFile={file} {...loaded} />}
      </LoadedContent>
    </Screen>
  );
}

/** Why the insert failed: a dry run cannot know what the regulator found. */
async function failuresOf(submission: string | undefined): Promise<readonly Reason[]> {
  if (submission === undefined || !can('getSubmission')) return [];
  return (await call('getSubmission', { params: { id: Number(submission) } })).reasons;
}

interface EditorProps {
  importId: number;
  xmlFile: string;
  text: string;
  failures: readonly Reason[];
}

function Editor({ importId, xmlFile, text: original, failures }: EditorProps) {
  // The browser keeps the text: a file of 4 MB is not drawn again with each key.
  const area = useRef<HTMLTextAreaElement>(null);
  const { draft, keyOf, forget } = useDraft(area, `${importId}/${xmlFile}`, original);
  const { check, onInput, onRetry } = useCheck(area, { importId, xmlFile, original });
  const { route } = useLocation();
  const sending = useAction(async (text: string) => {
    const file = encodeXml(text, xmlFile);
    const answer = await sendPackage({ file, mends: importId, idempotencyKey: keyOf(text) });
    if (answer.kind !== 'imported') return;
    forget(text);
    // The person may be on another screen.
    if (area.current !== null) route(to(`imports/${answer.importId}`));
  });
  const isChanged = check.diff === null || (check.diff?.hunks.length ?? 0) > 0;
  useWarningBeforeLeaving(area, original);
  useFirstFinding(area, check, failures);
  return (
    <div class={css.mend}>
      <Field label="Product file" hint="The file is checked when you pause. The Tab key leaves the text.">
        <textarea
          ref={area}
          class={css.text}
          defaultValue={draft}
          wrap="off"
          spellcheck={false}
          autocapitalize="off"
          onInput={onInput}
        />
      </Field>
      <div class="stack loose">
        <ActionError error={sending.error} />
        <p class="cluster">
          <Button
            kind="primary"
            busy={sending.busy}
            disabled={!isChanged || !canBeSent(check)}
            onClick={() => void sending.run(area.current?.value ?? '')}
          >
            Import the corrected file
          </Button>
          <span class="muted">This creates a new import with this one product.</span>
        </p>
        <Findings check={check} onRetry={onRetry} failures={failures} area={area} />
        <section class="card stack" aria-labelledby="changes-heading">
          <h2 id="changes-heading">Your changes</h2>
          <Changes of={check} />
        </section>
      </div>
    </div>
  );
}

function Changes({ of: { diff } }: { of: Check }) {
  if (diff === undefined) return <p class="muted">Comparing …</p>;
  if (diff === null) return <p class="muted">There are too many changes to show.</p>;
  return <Diff diff={diff} />;
}

function canBeSent({ product, isCurrent }: Check): boolean {
  return isCurrent && (product?.outcome === 'new' || product?.outcome === 'changed');
}

function useWarningBeforeLeaving(area: RefObject<HTMLTextAreaElement | null>, original: string): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (area.current !== null && area.current.value !== original) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
}
