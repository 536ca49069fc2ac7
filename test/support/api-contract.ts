/** Checks every answer in the tests against the gateway's published description (OpenAPI 3.1). */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Described {
  paths: Record<string, Record<string, { responses: Record<string, Response_> } | undefined>>;
  components: { securitySchemes?: unknown };
}
interface Response_ {
  content?: Record<string, unknown>;
}

type Check = (method: string, path: string, status: number, contentType: string, body: unknown) => void;

/** By the URL of the gateway. */
const contracts = new Map<string, Promise<Check>>();
/** By the description: most gateways have the same, and its validators cost time and memory. */
const checks = new Map<string, Check>();

/**
 * @param path without base path, with query
 * @throws when the description does not know the operation or the status, or the answer is not as described
 */
export async function requireDescribed(gatewayUrl: string, ...answer: Parameters<Check>): Promise<void> {
  const known = contracts.get(gatewayUrl) ?? loadContract(gatewayUrl);
  contracts.set(gatewayUrl, known);
  (await known)(...answer);
}

async function loadContract(gatewayUrl: string): Promise<Check> {
  const response = await fetch(`${gatewayUrl}/api/doc.json`);
  const description = (await response.json()) as Described;
  // It names the token endpoint, which differs.
  delete description.components.securitySchemes;
  const text = JSON.stringify(description);
  const check = checks.get(text) ?? checkOf(description, new URL(gatewayUrl).pathname.replace(/\/$/, ''));
  checks.set(text, check);
  return check;
}

function checkOf(description: Described, basePath: string): Check {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'api', ...description });
  const operations = Object.entries(description.paths).map(([template, methods]) => ({
    template,
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
    methods,
  }));
  const compiled = new Map<string, ValidateFunction>();

  return (method, path, status, contentType, body) => {
    const bare = basePath + (path.split('?', 1)[0] ?? path);
    const operation = operations.find(({ pattern }) => pattern.test(bare));
    const verb = method.toLowerCase();
    const responses = operation?.methods[verb]?.responses;
    const where = `${method} ${operation?.template ?? bare} → ${status}`;
    if (!operation || !responses) {
      // Tests also call unknown paths on purpose. These must answer 404 or 405.
      if (status !== 404 && status !== 405) throw new Error(`${where}: the operation is not described`);
      return;
    }
    const described = responses[status];
    if (!described) throw new Error(`${where} is not described; only ${Object.keys(responses).join(', ')}`);
    const type = contentType.split(';', 1)[0] ?? '';
    if (!described.content) {
      if (body !== undefined) throw new Error(`${where} has a body though none is described`);
      return;
    }
    if (!(type in described.content)) throw new Error(`${where} is ${type}, which is not described`);
    if (type !== 'application/json') return;
    const pointer = ['paths', operation.template, verb, 'responses', `${status}`, 'content', type, 'schema'];
    const reference = `api#/${pointer.map((part) => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'))).join('/')}`;
    const validate = compiled.get(reference) ?? ajv.compile({ $ref: reference });
    compiled.set(reference, validate);
    if (validate(body)) return;
    const faults = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    throw new Error(`${where} is not as described: ${faults.join('; ')}`);
  };
}
