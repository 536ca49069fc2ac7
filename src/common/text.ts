/** Shortens and escapes an untrusted value for a message, a log line or a mail. */
export function excerpt(value: string, maxLength = 60): string {
  const printable = value
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
  const points = [...printable];
  return points.length > maxLength ? `${points.slice(0, maxLength).join('')}…` : printable;
}

/** `1 file`, `2 files`. */
export function count(n: number, singular: string, plural = `${singular}s`): string {
  return `${n} ${n === 1 ? singular : plural}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Makes text safe as HTML text and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);
}

/** A base URL without slashes at its end, to which a path can be appended. */
export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/** The message of any thrown value, for people. It never holds a stack trace. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
