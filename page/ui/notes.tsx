/** A list of texts, which may be equal. */
export function Notes({ notes }: { notes: readonly string[] }) {
  return (
    <ul class="bullets">
      {notes.map((note, index) => (
        <li key={index}>{note}</li>
      ))}
    </ul>
  );
}
