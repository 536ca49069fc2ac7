/** Keeps the changed text of an editor that a person leaves for another screen. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** By import and file, until the page is closed. */
const drafts = new Map<string, string>();

/** @returns the text to begin with, and a function for a text that is imported */
export function useDraft(
  area: RefObject<HTMLTextAreaElement | null>,
  name: string,
  original: string,
): { draft: string; forget(): void } {
  const isImported = useRef(false);
  useEffect(() => {
    const { current: element } = area;
    return () => {
      const text = element?.value ?? original;
      if (text === original || isImported.current) drafts.delete(name);
      else drafts.set(name, text);
    };
  }, []);
  const forget = () => {
    isImported.current = true;
    drafts.delete(name);
  };
  return { draft: drafts.get(name) ?? original, forget };
}
