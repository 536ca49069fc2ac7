/** Who did something, as the audit trail names them: `client:…`, `service:…`, `workflow:…`. */
export function Actor({ name }: { name: string }) {
  const shown = name.startsWith('client:') ? name.slice('client:'.length) : name;
  return (
    <span class="actor" title={name}>
      {shown}
    </span>
  );
}
