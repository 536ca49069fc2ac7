/** The text of an editor: checked when typing pauses, and kept while other screens are open. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { plainReason } from '../../../src/contract/reasons.ts';
import type { DryRunProduct } from '../../../src/contract/types.ts';
import { type ApiError, asApiError } from '../../api/client.ts';
import { sendPackage } from '../../api/send-package.ts';
import { diffInWorker } from '../../ui/diff-view.tsx';
import { countOf } from '../../ui/format.tsx';
import { declaredAsUtf8, encodeXml, UNREADABLE } from '../../ui/product-file.ts';
import type { TextDiff } from '../../ui/text-diff.ts';

export interface Check {
  /** The result for the product; null before the first result. */
  product: DryRunProduct | null;
  /**
   * The changes to the file as it is sent, in UTF-8; undefined before they are known, null if there are too many to
   * show.
   */
  diff: TextDiff | null | undefined;
  /** Whether the result is that of the present text. */
  isCurrent: boolean;
  error: ApiError | null;
}

const NOTHING: Check = { product: null, diff: undefined, isCurrent: false, error: null };

const PAUSE_MS = 800;

export function useCheck(
  area: RefObject<HTMLTextAreaElement | null>,
  { importId, xmlFile, original }: { importId: number; xmlFile: string; original: string },
): { check: Check; onInput(): void; onRetry(): void } {
  const [check, setCheck] = useState<Check>(NOTHING);
  const running = useRef(new AbortController());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  async function run(): Promise<void> {
    const { signal } = running.current;
    const text = area.current?.value ?? '';
    const set = (change: Partial<Check>) =>
      signal.aborted || setCheck((current) => ({ ...current, ...change }));
    try {
      const file = encodeXml(text, xmlFile);
      const request = { file, mends: importId, idempotencyKey: null };
      const [answer] = await Promise.all([
        sendPackage(request, { signal }),
        diffInWorker([original, declaredAsUtf8(text)], signal).then((diff) => set({ diff })),
      ]);
      if (answer.kind !== 'checked') return;
      const [product] = answer.result.products;
      set({ product: product ? judged(product, text) : null, isCurrent: true, error: null });
    } catch (error) {
      set({ error: asApiError(error) });
    }
  }

  function runAfter(pauseMs: number): void {
    running.current.abort();
    running.current = new AbortController();
    setCheck((current) =>
      current.isCurrent || current.error !== null ? { ...current, isCurrent: false, error: null } : current,
    );
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void run(), pauseMs);
  }

  useEffect(() => {
    void run();
    return () => {
      clearTimeout(timer.current);
      running.current.abort();
    };
  }, []);

  return { check, onInput: () => runAfter(PAUSE_MS), onRetry: () => runAfter(0) };
}

/** Refuses a text with characters that could not be read: the dry run takes their marks for contents. */
function judged(product: DryRunProduct, text: string): DryRunProduct {
  const parts = text.split(UNREADABLE);
  if (parts.length === 1) return product;
  const reason = plainReason(
    `the file has bytes that are not valid in its encoding, shown as ${UNREADABLE} in ${countOf(parts.length - 1, 'place')}; replace each by the right character`,
  );
  const line = parts[0]?.split('\n').length ?? null;
  return { ...product, outcome: 'refused', reasons: [{ ...reason, line }, ...product.reasons] };
}

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
    /** One key for one text: the second attempt of a lost answer imports nothing twice. */
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
