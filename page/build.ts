/**
 * Builds the web page and compresses each file: `node page/build.ts [directory]`, by default the directory of the
 * gateway. Its name is the hash of the sources: an existing directory is up to date.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { build } from 'vite';
import { loadConfig } from '../src/config/index.ts';
import { PAGE_SOURCES, pageDirectory } from '../src/processes/gateway/page.ts';

const root = fileURLToPath(new URL(`../${PAGE_SOURCES}`, import.meta.url));
const directory = process.argv[2] ?? (await pageDirectory(loadConfig().cacheDir));

if (!existsSync(join(directory, 'index.html'))) {
  // The build has another name until it is complete: another process may build the same.
  const unfinished = `${directory}.${process.pid}`;
  await mkdir(dirname(directory), { recursive: true });
  try {
    await build({
      root,
      base: './',
      configFile: false,
      publicDir: false,
      logLevel: 'warn',
      oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
      build: {
        outDir: unfinished,
        emptyOutDir: true,
        target: 'es2023',
        // Inlined assets would need a looser Content-Security-Policy.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
      },
    });
    await compress(join(unfinished, 'assets'));
    await rename(unfinished, directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
process.stdout.write(`${directory}\n`);

async function compress(assets: string): Promise<void> {
  for (const name of await readdir(assets)) {
    const content = await readFile(join(assets, name));
    await writeFile(join(assets, `${name}.br`), await promisify(brotliCompress)(content));
    await writeFile(join(assets, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
  }
}
