/**
 * `npm run prove -- page-speed`: 10,000 imports, and an import of 10,000 products, are as quick to look at as a few. Counts are
 * held strictly, times generously: machines have other things to do. What was measured is printed.
 */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { describePage } from '../support/starters/page.ts';

const IMPORTS = 10_000;
const PRODUCTS = 10_000;
/** In sight are some 15 of a window's height; as many again are drawn above and below. */
const MAX_ROWS = 60;
/** A jank of half a second is what people call stuck. Alone on a machine it is a tenth of it. */
const LONGEST_TASK_MS = 500;
/** Five times what is asked for (docs/page.md), for machines that do other things. */
const INTERACTIVE_MS = 5_000;
const LOADS = 9;

/** One product in each; the newest are under way. */
const SEEDED = [
  `insert into zip_import (uuid, client_id, tenant, comment, file_name, storage_key, zip_file_path, size_bytes, sha256, uploaded_at, status, completed_at)
   select gen_random_uuid(), 'demo-client', 'demo-client', 'made up', 'export-' || lpad(n::text, 5, '0') || '.zip', 'packages/' || n, '/a', 1, repeat('a', 64),
          now() - (${IMPORTS} - n) * interval '1 minute',
          case when n > ${IMPORTS} - 10 then 'inserting' when n % 100 = 0 then 'failed' else 'completed' end,
          case when n <= ${IMPORTS} - 10 then now() end
     from generate_series(1, ${IMPORTS}) n`,
  productsOf(
    'select id as i, 1 as n from zip_import',
    "case when i > (select max(id) from zip_import) - 10 then 'regulator_inserting' else 'regulator_inserted' end",
  ),
  `insert into zip_import (uuid, client_id, tenant, file_name, storage_key, zip_file_path, size_bytes, sha256, uploaded_at, status)
   values (gen_random_uuid(), 'demo-client', 'demo-client', 'large.zip', 'packages/large', '/a', 1, repeat('a', 64), now(), 'inserting')`,
  productsOf(
    `select (select max(id) from zip_import) as i, n from generate_series(1, ${PRODUCTS}) n`,
    `case when n % 100 = 0 then 'regulator_insert_failed' when n % 3 = 0 then 'regulator_inserting' else 'regulator_inserted' end`,
  ),
  'vacuum analyze',
];

function productsOf(rows: string, status: string): string {
  return `insert into submission (uuid, zip_import_id, entry_index, entry_path, xml_file, product_id, product_type_code, product_type,
      status, failure_reason, job_id, warnings, content_hash, section_hashes, sections, created_at, updated_at)
    select gen_random_uuid(), i, n, n || '.xml', n || '.xml', '99962-26-' || lpad(n::text, 5, '0'), 1, 'Other', ${status},
           '[{"path": "Product/Design", "line": null, "check": null, "text": "The regulator rejected the product: made up"}]', gen_random_uuid(), '[]', repeat('a', 64), '{}', '{}', now(), now()
      from (${rows}) rows`;
}

/** Observations of the browser: the distance of layout shifts, and the duration of its tasks. */
const OBSERVE = `
  window.noted = { shifts: 0, moved: [], tasks: [] };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      window.noted.shifts += entry.value;
      for (const { node } of entry.sources) window.noted.moved.push((node?.parentElement?.className ?? '') + ': ' + node?.textContent?.slice(0, 40));
    }
  }).observe({ type: 'layout-shift', buffered: false });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.noted.tasks.push(Math.round(entry.duration));
  }).observe({ type: 'longtask', buffered: false });`;

interface Noted {
  shifts: number;
  /** Shifted elements: class of the parent, and the text. */
  moved: string[];
  /** Milliseconds, of tasks of more than 50 ms. */
  tasks: number[];
}

const say = (line: string) => process.stdout.write(`${line}\n`);

describePage('with much data the page', { withoutWorkers: true }, (web) => {
  let largeImport: number;
  let page: Page;

  beforeAll(async () => {
    for (const statement of SEEDED) await web.stack.sql(statement);
    const [newest] = await web.stack.sql<{ id: number }>('select max(id) as id from zip_import');
    largeImport = newest?.id ?? 0;
  });

  const grid = (name: string) => page.getByRole('grid', { name });
  const rowsDrawn = () => page.getByRole('row').count();
  /** Forgets what was noted before. */
  const observe = () => page.evaluate(OBSERVE);
  const noted = () => page.evaluate('window.noted') as Promise<Noted>;
  const frames = () =>
    page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

  /** Page by page, as somebody who holds a key down. @returns the most rows that were drawn at a time */
  async function scrollToEnd(name: string, until: () => Promise<boolean>): Promise<number> {
    let most = 0;
    await grid(name).getByRole('row').nth(1).focus();
    for (let pages = 0; pages < 2_000 && !(await until()); pages += 1) {
      await page.keyboard.press('PageDown');
      if (pages % 20 === 0) await page.keyboard.press('End');
      await frames();
      most = Math.max(most, await rowsDrawn());
    }
    expect(await until()).toBe(true);
    return most;
  }

  function report(what: string, { tasks, shifts }: Noted, rows: number): void {
    const longest = Math.max(0, ...tasks);
    say(
      `${what}: ${rows} rows drawn at the most, ${tasks.length} tasks over 50 ms, the longest ${longest} ms, layout shift ${shifts}`,
    );
  }

  it('scrolls through 10,000 imports, filters and searches them', async () => {
    page = await web.open();
    await grid('Imports').waitFor();
    await observe();
    const all = page.getByText('10,001 imports', { exact: true });
    const rows = await scrollToEnd('Imports', async () => (await all.count()) > 0);
    await page.keyboard.press('End');
    await grid('Imports').getByText('export-00001.zip').waitFor();
    const scrolled = await noted();
    report('10,000 imports, to the end', scrolled, rows);
    expect(rows).toBeLessThan(MAX_ROWS);
    expect(Math.max(0, ...scrolled.tasks)).toBeLessThan(LONGEST_TASK_MS);

    await page.getByLabel('File name').fill('export-04321');
    await grid('Imports').getByText('export-04321.zip').waitFor();
    await eventually(async () => (await rowsDrawn()) === 2);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: /^Failed/ }).click();
    await grid('Imports').getByText('export-09900.zip').waitFor();
    expect(await rowsDrawn()).toBeLessThan(MAX_ROWS);
  });

  it('scrolls through 10,000 products of an import, filters and searches them', async () => {
    page = await web.open(`imports/${largeImport}`);
    await grid('Products').waitFor();
    await observe();
    const last = grid('Products').locator(`[aria-rowindex="${PRODUCTS + 1}"]`);
    const rows = await scrollToEnd('Products', async () => (await last.count()) > 0);
    const scrolled = await noted();
    report('10,000 products, to the end', scrolled, rows);
    expect(rows).toBeLessThan(MAX_ROWS);
    expect(Math.max(0, ...scrolled.tasks)).toBeLessThan(LONGEST_TASK_MS);

    await page.getByPlaceholder('Part of it').fill('99962-26-07777');
    await eventually(async () => (await rowsDrawn()) === 2);
    await grid('Products').getByText('99962-26-07777').waitFor();
    await page.getByPlaceholder('Part of it').fill('');
    await page.getByRole('button', { name: /^Failed/ }).click();
    await grid('Products').getByText('99962-26-00100').waitFor();
    expect(await rowsDrawn()).toBeLessThan(MAX_ROWS);
  });

  it('moves nothing when rows change', async () => {
    const inserted = (importId: number, share: string) =>
      web.stack.sql(
        `update submission set status = 'regulator_inserted', updated_at = now() where zip_import_id = ${importId} and status = 'regulator_inserting' and ${share}`,
      );
    page = await web.open();
    const row = grid('Imports').getByRole('row').filter({ hasText: 'export-10000.zip' });
    await row.waitFor();
    await frames();
    await observe();
    const before = await row.innerText();
    for (let n = 1; n < 10; n += 1) await inserted(largeImport - n, 'true');
    // The texts of the durations become shorter.
    await web.stack.sql(
      `update zip_import set status = 'completed', completed_at = uploaded_at + interval '2 minutes' where id < ${largeImport} and completed_at is null`,
    );
    await eventually(async () => (await row.innerText()) !== before);
    const listed = await noted();
    report('imports that change', listed, await rowsDrawn());
    expect(listed).toMatchObject({ shifts: 0, moved: [] });

    await page.goto(`${web.url}imports/${largeImport}`);
    await grid('Products').waitFor();
    const chip = page.getByRole('button', { name: /^Inserted/ });
    await chip.waitFor();
    await frames();
    await observe();
    const count = await chip.innerText();
    await inserted(largeImport, 'id % 2 = 0');
    await eventually(async () => (await chip.innerText()) !== count);
    const shown = await noted();
    report('products that change', shown, await rowsDrawn());
    expect(shown).toMatchObject({ shifts: 0, moved: [] });
    expect(Math.max(0, ...shown.tasks)).toBeLessThan(LONGEST_TASK_MS);
  });

  it('detects layout shifts and long tasks', async () => {
    page = await web.open();
    await grid('Imports').waitFor();
    await observe();
    // Not at once: what the debugger runs is no task of the page.
    await page.evaluate(`setTimeout(() => {
      const above = Object.assign(document.createElement('div'), { textContent: 'moved' });
      document.querySelector('main').prepend(above);
      above.style.height = '200px';
      for (const end = performance.now() + ${LONGEST_TASK_MS + 50}; performance.now() < end; );
    })`);
    await eventually(async () => {
      const { shifts, tasks } = await noted();
      return shifts > 0 && Math.max(0, ...tasks) > LONGEST_TASK_MS;
    });
  });

  /** Prints the times of some loads, and returns their median. @param load returns milliseconds */
  async function medianOf(what: string, load: () => Promise<number>): Promise<number> {
    const times: number[] = [];
    for (let n = 0; n < LOADS; n += 1) times.push(await load());
    times.sort((a, b) => a - b);
    const [least, median = 0, most] = [0, LOADS >> 1, LOADS - 1].map((n) => Math.round(times[n] ?? 0));
    say(`${what}: ${least} / ${median} / ${most} ms (min, median, max of ${LOADS})`);
    return median;
  }

  it.each(['', 'imports/:id'])('%j is usable soon after its address was opened', async (screen) => {
    page = await web.open();
    const address = web.url + screen.replace(':id', String(largeImport));
    const median = await medianOf(
      `${screen || 'imports'}, from the address to the first letter in the search`,
      async () => {
        const begun = performance.now();
        await page.goto(address, { waitUntil: 'commit' });
        // The first thing that somebody can do: look for something.
        await page.getByPlaceholder('Part of it').fill('x');
        return performance.now() - begun;
      },
    );
    expect(median).toBeLessThan(INTERACTIVE_MS);
  });

  it('shows the first of 10,000 products soon after a click on their import', async () => {
    page = await web.open();
    const first = grid('Products').getByText('99962-26-00100');
    const median = await medianOf('10,000 products, from the click to the first row', async () => {
      await page.goto(web.url);
      const row = grid('Imports').getByText('large.zip');
      await row.waitFor();
      await observe();
      const begun = performance.now();
      await row.click();
      await first.waitFor();
      return performance.now() - begun;
    });
    report('10,000 products, opened', await noted(), await rowsDrawn());
    expect(median).toBeLessThan(INTERACTIVE_MS);
  });
});
