/** Keeps the changed text of an editor that a person leaves for another screen, with the key of its import. */
import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface Draft {
  text: string;
  /** The text that was sent last, and its key. */
  sent: { text: string; key: string } | null;
  /** The text that was imported last. */
  imported: string | null;
}

/** By import and file, until the page is closed. */
const drafts = new Map<string, Draft>();

export function useDraft(area: RefObject<HTMLTextAreaElement | null>, name: string, original: string) {
  const [draft] = useState(() => drafts.get(name) ?? { text: original, sent: null, imported: null });
  const keepOrDrop = () => {
    const isUnchanged = draft.text === original && draft.sent === null;
    if (isUnchanged || draft.text === draft.imported) drafts.delete(name);
    else drafts.set(name, draft);
  };
  useEffect(() => {
    const { current: element } = area;
    return () => {
      draft.text = element?.value ?? original;
      keepOrDrop();
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
    /** Called for a text that is imported. */
    forget(text: string) {
      draft.imported = text;
      keepOrDrop();
    },
  };
}
