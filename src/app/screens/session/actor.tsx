import { settings } from '../../settings.ts';

/**
 * Who did something, as the audit trail names them: `client:…`, `service:…`, `workflow:…`. Whoever acts here does so as
 * the client that this page is, and the trail tells no more.
 */
export function Actor({ name }: { name: string }) {
  return (
    <span class="actor" title={name}>
      {wordsOf(name)}
    </span>
  );
}

function wordsOf(name: string): string {
  if (name === `client:${settings().client_id}`) return 'Somebody on the web page';
  return name.startsWith('client:') ? name.slice('client:'.length) : name;
}
