/** Names of calls to the regulator, for metrics and traces. Ids in paths are replaced, so that the names are few. */

/** @returns a name such as `PUT /cases/{case_id}/steps/design` (docs/regulator-api.md) */
export function operationOf(url: Parameters<typeof fetch>[0], init: Parameters<typeof fetch>[1]): string {
  const { pathname } = new URL(url instanceof Request ? url.url : url);
  const [, path = '/other'] = /(\/(?:cases|session)(?:\/.*)?)$/.exec(pathname) ?? [];
  const template = path
    .replace(/^\/cases\/[^/]+/, '/cases/{case_id}')
    .replace(/\/attachments\/.+$/, '/attachments/{attachment_id}');
  return `${init?.method ?? 'GET'} ${template}`;
}
