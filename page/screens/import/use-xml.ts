/** The product file of a submission, for the lines that reasons are about. */
import { useEffect, useState } from 'preact/hooks';
import { type ApiError, asApiError, errorOf } from '../../api/api-error.ts';
import { jsonOf, send } from '../../api/client.ts';
import { can } from '../../auth/permissions.ts';
import { decodeXml } from './xml-lines.ts';

export type Xml =
  | { state: 'none' }
  | { state: 'loading' }
  | { state: 'there'; text: string }
  | { state: 'failed'; error: ApiError };

/** @param submissionId null for a file that became no submission: the API keeps none of it */
export function useXml(submissionId: number | null): Xml {
  const [xml, setXml] = useState<Xml>({ state: 'none' });
  useEffect(() => {
    if (submissionId === null || !can('getSubmissionXml')) return;
    const call = new AbortController();
    setXml({ state: 'loading' });
    load(submissionId, call.signal)
      .then((text) => setXml({ state: 'there', text }))
      .catch((error) => {
        if (!call.signal.aborted) setXml({ state: 'failed', error: asApiError(error) });
      });
    return () => call.abort();
  }, [submissionId]);
  return xml;
}

async function load(id: number, signal: AbortSignal): Promise<string> {
  const response = await send('getSubmissionXml', { params: { id }, signal });
  if (!response.ok) throw errorOf(response, await jsonOf(response));
  return decodeXml(new Uint8Array(await response.arrayBuffer()));
}
