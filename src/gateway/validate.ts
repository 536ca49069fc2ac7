/** What a request brings, judged by the schema that also describes it. */
import type { z } from 'zod';
import { badRequest } from './http-error.ts';

/**
 * @param where in the request, as the client is told
 * @param error says some faults in other words than the schema
 * @throws HttpError 400 that names every fault
 */
export function valid<T>(
  schema: z.ZodType<T>,
  value: unknown,
  where: 'path' | 'query' | 'body',
  error?: z.core.$ZodErrorMap,
): T {
  const parsed = schema.safeParse(value ?? {}, error && { error });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  );
  throw badRequest(`The ${where} is invalid: ${faults.join('; ')}.`);
}
