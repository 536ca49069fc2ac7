/** The schemas that Kubernetes and its extensions publish, and what they say of our resources. */

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv, type ValidateFunction } from 'ajv';
import { parse } from 'yaml';
import { CACHE_DIRECTORY } from '../../support/cache-directory.ts';
import { type Found, findGoModuleFile } from '../../support/go-tool.ts';
import { installPythonTool } from '../../support/python-tool.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import type { Resource } from './resources.ts';

/** Carries the schemas of each release of Kubernetes. */
const VALIDATOR = { name: 'kubernetes-validate', version: '1.37.0' };

/**
 * Releases of Kubernetes that the resources are for: the oldest with `preStop.sleep` by default, and the newest known.
 */
export const RELEASES = ['1.30', '1.37'] as const;

/** Paths of the extensions' definitions, by kind: in their Go modules. */
const DEFINITIONS: Record<string, { module: string; path: string }> = {
  HTTPRoute: {
    module: 'sigs.k8s.io/gateway-api@v1.6.3',
    path: 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml',
  },
  PodMonitor: {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    path: 'example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml',
  },
  PrometheusRule: {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    path: 'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
  },
  ExternalSecret: {
    module: 'github.com/external-secrets/external-secrets@v0.16.2',
    path: 'config/crds/bases/external-secrets.io_externalsecrets.yaml',
  },
  ScaledObject: {
    module: 'github.com/kedacore/keda/v2@v2.20.2',
    path: 'config/crd/bases/keda.sh_scaledobjects.yaml',
  },
  TriggerAuthentication: {
    module: 'github.com/kedacore/keda/v2@v2.20.2',
    path: 'config/crd/bases/keda.sh_triggerauthentications.yaml',
  },
};

export const EXTENSIONS = Object.keys(DEFINITIONS);

export const isExtension = ({ kind }: Resource) => Object.hasOwn(DEFINITIONS, kind);

const execute = promisify(execFile);

/**
 * Returns a validator: it returns the fault for which Kubernetes would refuse a file, or null. Unknown fields
 * are faults, too.
 */
export async function findValidator(): Promise<
  Found<(path: string, release: string) => Promise<string | null>>
> {
  const installed = await installPythonTool(VALIDATOR, CACHE_DIRECTORY, () => {}).catch(
    (error) => error as Error,
  );
  if (installed === null) return { found: null, reason: 'it needs Python 3.10 or newer with venv and pip' };
  if (installed instanceof Error)
    return { found: null, reason: installed.message.trim().split('\n').at(-1) ?? '' };
  const command = join(installed, VALIDATOR.name);
  return {
    found: (path, release) =>
      execute(command, ['--strict', '--quiet', '--kubernetes-version', release, path]).then(
        () => null,
        ({ stdout = '', stderr = '' }) => `${stdout}${stderr}`,
      ),
  };
}

/** Faults of a document in a file of its own. */
export async function inFile<T>(text: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(await temporaryDirectory(), 'resources.yaml');
  await writeFile(path, text);
  return use(path);
}

interface Definition {
  spec: { group: string; versions: { name: string; schema: { openAPIV3Schema: object } }[] };
}

/** Returns the path of an extension's own definition. */
export async function findDefinitionFile(kind: string): Promise<Found<string>> {
  const { module = '', path = '' } = DEFINITIONS[kind] ?? {};
  return findGoModuleFile(module, path);
}

/** Returns a validator for resources of an extension, by the extension's own definition. */
export async function findDefinition(kind: string): Promise<Found<(resource: Resource) => string[]>> {
  const file = await findDefinitionFile(kind);
  if (file.found === null) return file;
  const { spec } = parse(await readFile(file.found, 'utf8')) as Definition;
  const versions = new Map<string, ValidateFunction>();
  for (const { name, schema } of spec.versions)
    versions.set(
      `${spec.group}/${name}`,
      new Ajv({
        strict: false,
        allErrors: true,
        validateFormats: false,
        code: { regExp: goRegExp },
      }).compile(closed(schema.openAPIV3Schema)),
    );
  return {
    found: (resource) => {
      const validate = versions.get(resource.apiVersion);
      if (!validate) return [`there is no ${resource.apiVersion} of it`];
      return validate(resource)
        ? []
        : (validate.errors ?? []).map(
            ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
          );
    },
  };
}

/** Definitions have patterns of Go, where a group sets the flags. */
const goRegExp = Object.assign(
  (pattern: string, flags: string) =>
    new RegExp(pattern.replace('(?i)', ''), pattern.includes('(?i)') ? `${flags}i` : flags),
  { code: 'new RegExp' },
);

/** With unknown fields as faults: the API server would drop them, with no more than a warning. */
function closed(schema: unknown): object {
  const close = (node: unknown, isTop = false): unknown => {
    if (Array.isArray(node)) return node.map((one) => close(one));
    if (typeof node !== 'object' || node === null) return node;
    const entries = Object.entries(node).map(([name, value]) => [
      name,
      name === 'properties'
        ? Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, close(one)]))
        : close(value),
    ]);
    const copy = Object.fromEntries(entries) as Record<string, unknown>;
    const isClosed =
      copy.type === 'object' && copy.properties && !copy['x-kubernetes-preserve-unknown-fields'];
    return isClosed && !isTop && copy.additionalProperties === undefined
      ? { ...copy, additionalProperties: false }
      : copy;
  };
  return close(schema, true) as object;
}
