/** Who did something, as the audit trail names them: `person:…`, `client:…`, `service:…`, `workflow:…`. */
export function Actor({ name }: { name: string }) {
  return (
    <span class="actor" title={name}>
      {name.replace(/^(person|client):/, '')}
    </span>
  );
}
