/**
 * The provenance of an image: an in-toto statement with SLSA's provenance
 * (https://slsa.dev/spec/v1.0/provenance), unsigned.
 */
import type { Engine, Image } from './engine.ts';

export interface Build {
  engine: Pick<Engine, 'name' | 'version'>;
  target: string;
  tag: string;
  image: Pick<Image, 'id'>;
  base: { tag: string; image: Pick<Image, 'id'> };
  /** Build arguments of the Dockerfile. */
  args: Readonly<Record<string, string>>;
  /** Commit of the sources; with a suffix when they differ from it. */
  revision: string;
  started: Date;
  ended: Date;
}

/** The subject's digest is that of the image's configuration, which names every layer: its id. */
export function provenanceOf({ engine, target, tag, image, base, args, revision, started, ended }: Build) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: tag, digest: digestOf(image.id) }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        // The meaning of the parameters: this file, and the Dockerfile that they name.
        buildType: 'urn:package-import:build:dockerfile:1',
        externalParameters: { dockerfile: 'deploy/Dockerfile', target, args },
        resolvedDependencies: [
          { name: base.tag, digest: digestOf(base.image.id) },
          ...(/^[0-9a-f]{40}$/.test(revision) ? [{ name: 'source', digest: { gitCommit: revision } }] : []),
        ],
      },
      runDetails: {
        builder: {
          id: `urn:package-import:builder:${engine.name}`,
          version: { [engine.name]: engine.version },
        },
        metadata: { startedOn: started.toISOString(), finishedOn: ended.toISOString() },
      },
    },
  };
}

function digestOf(id: string): Record<string, string> {
  const [algorithm = '', hex = ''] = id.split(':');
  return { [algorithm]: hex };
}
