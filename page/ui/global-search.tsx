/** The search in the header of every screen. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { SEARCHED_TEXT_LENGTH } from '../../src/contract/limits.ts';
import { can } from '../auth/login.ts';
import { to } from '../settings.ts';
import { submittedText } from './field.tsx';
import { searchOf } from './format.tsx';

export function GlobalSearch() {
  const input = useRef<HTMLInputElement>(null);
  const { route, path, query } = useLocation();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const isSearch = path === to('search');
  useLayoutEffect(() => {
    if (!isSearch) return;
    return () => {
      // Another screen is open: the next search starts anew.
      input.current?.form?.reset();
      input.current?.blur();
    };
  }, [isSearch]);
  if (!can('getPackageImports')) return null;
  const search = (event: SubmitEvent) => {
    const text = submittedText(event, 'q');
    if (text !== '') route(to(`search${searchOf({ q: text })}`));
  };
  return (
    <search>
      <form class="field" onSubmit={search}>
        <input
          ref={input}
          name="q"
          type="search"
          defaultValue={isSearch ? query.q : ''}
          aria-label="Search everything"
          aria-keyshortcuts="/"
          placeholder="Search: press /"
          title="ID of a product, import, submission, case or job; part of a file name or comment"
          autocomplete="off"
          spellcheck={false}
          maxLength={SEARCHED_TEXT_LENGTH}
        />
      </form>
    </search>
  );
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null;
}
