/** Parses a JSON Web Token (RFC 7519) without verifying it. */
import { invalidToken } from '../http-error.ts';

export type Claims = Record<string, unknown>;

export interface ReadToken {
  header: Claims;
  /** Not verified. */
  claims: Claims;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a signed token in compact form. Encrypted and nested tokens are refused. Ambiguous tokens are refused as well:
 * base64url that is not canonical, and names that occur twice (RFC 7515 §4, RFC 7519 §4).
 *
 * @throws HttpError 401
 */
export function readToken(token: string): ReadToken {
  const segments = token.split('.');
  const [header = '', claims = '', signature = ''] = segments;
  if (segments.length !== 3 || signature === '' || !segments.every(isCanonical)) throw notAToken();
  const read = { header: objectOf(header), claims: objectOf(claims) };
  if (read.header.crit !== undefined)
    throw invalidToken('it has critical header parameters (crit), which are not supported');
  return read;
}

function isCanonical(segment: string): boolean {
  return Buffer.from(segment, 'base64url').toString('base64url') === segment;
}

function objectOf(segment: string): Claims {
  let json: string;
  let value: unknown;
  try {
    json = utf8.decode(Buffer.from(segment, 'base64url'));
    value = JSON.parse(json);
  } catch {
    throw notAToken();
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw notAToken();
  if (repeatsName(json)) throw invalidToken('it contains a name twice');
  return value as Claims;
}

function notAToken() {
  return invalidToken('it is not a JSON Web Token');
}

/** Matches an object's name with its colon, any other string, or a bracket. */
const TOKENS = /("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}[\]]/g;

/** @param json valid JSON */
function repeatsName(json: string): boolean {
  const open: Set<unknown>[] = [];
  for (const [text, name] of json.matchAll(TOKENS)) {
    if (text === '{' || text === '[') open.push(new Set());
    else if (text === '}' || text === ']') open.pop();
    else if (name !== undefined) {
      const names = open.at(-1);
      const unescaped: unknown = JSON.parse(name);
      if (names?.has(unescaped)) return true;
      names?.add(unescaped);
    }
  }
  return false;
}
