/** The list without imports: how to make the first one, and where to watch it. Shows only what this installation has. */
import { useLocation } from 'preact-iso';
import { addressOf } from '../../../src/contract/operations.ts';
import { errorOf } from '../../api/client.ts';
import { can } from '../../auth/login.ts';
import { API_ROOT, settings, to } from '../../settings.ts';
import { ActionButton } from '../../ui/actions.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { start } from '../upload/upload-job.ts';
import css from './imports.module.css';

/** The mailbox of `npm start` receives mail of every address. */
const RECIPIENT = 'you@company.example';

export function FirstSteps() {
  const { trial, temporal } = settings();
  const pages: [title: string, url: string | null | undefined][] = [
    ['API documentation', `${API_ROOT}/api/doc`],
    ['Temporal Web UI', can('getInserting') ? temporal?.ui_url : null],
    ['Mailbox', trial?.mailbox_url],
  ];
  return (
    <EmptyState title="There are no imports yet">
      <p>Upload a package here, or with a client of the API.</p>
      {trial && can('postPackageImport') && <Trial tokenUrl={trial.token_url} />}
      <ul class="cluster" aria-label="Other pages">
        {pages.map(
          ([title, url]) =>
            url && (
              <li key={title}>
                <a href={url} target="_blank" rel="noreferrer">
                  {title}
                </a>
              </li>
            ),
        )}
      </ul>
    </EmptyState>
  );
}

function Trial({ tokenUrl }: { tokenUrl: string }) {
  const { route } = useLocation();
  const importSample = async () => {
    const response = await fetch(to('sample-package.zip'));
    if (!response.ok) throw errorOf(response, null);
    const file = new File([await response.blob()], 'package.zip');
    void start('import', { file, comment: 'Sample package', email: RECIPIENT });
    route(to('upload'));
  };
  return (
    <>
      <ActionButton kind="primary" action={importSample}>
        Import the sample package
      </ActionButton>
      <p>Or send it with curl, in the folder of this project:</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <pre class={`box ${css.curl}`} tabIndex={0}>
        {curlLine(tokenUrl)}
      </pre>
    </>
  );
}

/** The command line gets a token of the client `demo-client` of the identity service on this machine. */
const curlLine = (tokenUrl: string): string =>
  [
    `curl ${location.origin}${API_ROOT}${addressOf('postPackageImport')}`,
    `-H "Authorization: Bearer $(npm run -s package-import -- token --token-url ${tokenUrl})"`,
    '-F file=@examples/package.zip',
  ].join(' \\\n  ');
