/**
 * The SBOM of an image, as CycloneDX: the npm packages as npm lists them, with digests and licences, plus
 * Node and Debian's packages, which npm does not know.
 */
import { readFile } from 'node:fs/promises';
import type { Engine } from './engine.ts';

interface Component {
  'bom-ref': string;
  type: string;
  name: string;
  version: string;
  purl: string;
}

/** The part of https://cyclonedx.org/docs/1.5/json/ that is read or changed here. */
export interface Sbom {
  bomFormat: string;
  specVersion: string;
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

export interface Contents {
  node: string;
  release: { id: string; version: string };
  /** `name@version` */
  npm: string[];
  /** Name, version and architecture. */
  debian: [string, string, string][];
}

interface Images {
  tag: string;
  /** The stage with npm and at least the packages of the image. */
  withNpm: string;
  name: string;
  version: string;
}

const NO_NETWORK = ['--network', 'none'];
const CONTENTS = new URL('contents.mjs', import.meta.url);

/** Returns the packages that are installed in an image. */
export async function contentsOf(engine: Pick<Engine, 'output'>, tag: string): Promise<Contents> {
  const script = await readFile(CONTENTS, 'utf8');
  return JSON.parse(await engine.output([...NO_NETWORK, tag, 'node', '--input-type=module', '-'], script));
}

export async function sbomOf(engine: Engine, { tag, withNpm, name, version }: Images): Promise<Sbom> {
  const list = ['npm', 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'];
  const listed = JSON.parse(await engine.output([...NO_NETWORK, withNpm, ...list])) as Sbom;
  return completed(listed, await contentsOf(engine, tag), { name, version });
}

/**
 * Completes npm's list for an image: removes packages that the image does not have, and adds those that npm
 * does not know.
 */
export function completed(listed: Sbom, contents: Contents, image: { name: string; version: string }): Sbom {
  const root = listed.metadata.component['bom-ref'];
  const present = new Set(contents.npm);
  const npm = listed.components.filter(({ name, version }) => present.has(`${name}@${version}`));
  const refs = new Set([root, ...npm.map((one) => one['bom-ref'])]);
  const system = systemComponents(contents);
  const dependencies = listed.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  const component = { ...listed.metadata.component, ...image, type: 'container' };
  return {
    ...listed,
    metadata: { ...listed.metadata, component },
    components: [...npm, ...system],
    dependencies: dependencies.map((one) =>
      one.ref === root
        ? { ...one, dependsOn: [...one.dependsOn, ...system.map((part) => part['bom-ref'])] }
        : one,
    ),
  };
}

function systemComponents({ node, release, debian }: Contents): Component[] {
  const distribution = `${release.id}-${release.version}`;
  const packages = debian.map(([name, version, architecture]) => {
    const purl = `pkg:deb/${release.id}/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=${distribution}`;
    return { 'bom-ref': purl, type: 'library', name, version, purl };
  });
  const purl = `pkg:generic/node@${node}`;
  return [{ 'bom-ref': purl, type: 'application', name: 'node', version: node, purl }, ...packages];
}
