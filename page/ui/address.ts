/** What a screen is confined to stands behind its path, with a question mark: nothing where nothing is said. */
export function searchOf(values: Readonly<Record<string, string | number>>): string {
  const said = Object.entries(values).flatMap(([name, value]) =>
    value === '' ? [] : [[name, String(value)]],
  );
  return said.length === 0 ? '' : `?${new URLSearchParams(said)}`;
}
