/** Keeps the changed text of an editor that a person leaves for another screen, with the key of its import. */
import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface Draft {
  text: string;
  /** The text that was sent last, and its key. */
  sent: { text: string; key: string } | null;
}

/** By import and file, until the page is closed. */
const drafts = new Map<string, Draft>();

export function useDraft(area: RefObject<HTMLTextAreaElement | null>, name: string, original: string) {
  const [draft] = useState<Draft>(() => drafts.get(name) ?? { text: original, sent: null });
  useEffect(() => {
    drafts.set(name, draft);
    const { current: element } = area;
    return () => {
      draft.text = element?.value ?? original;
      if (draft.text === original && draft.sent === null) drafts.delete(name);
    };
  }, []);
  return {
    /** The text to begin with. */
    draft: draft.text,
    /** One key for one text: the second try of a lost answer imports nothing twice. */
    keyOf(text: string) {
      if (draft.sent?.text !== text) draft.sent = { text, key: crypto.randomUUID() };
      return draft.sent.key;
    },
    /** Called for a text that is imported. A later one stays. */
    forget(text: string) {
      if ((area.current?.value ?? draft.text) === text) drafts.delete(name);
    },
  };
}
