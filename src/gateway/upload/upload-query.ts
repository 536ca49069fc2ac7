/**
 * The query of an upload, read before its body (decision §refuse-before-the-body). A dry run requested by the query
 * needs no regulator session, because it sends nothing to the regulator.
 */
import { badRequest } from '../http-error.ts';
import { type GatewayMiddleware, queryIn } from '../state.ts';

/** Sets `ctx.state.dryRun` if the query asks for a dry run. To be used after the validation of the query. */
export function readUploadQuery(): GatewayMiddleware {
  return async (ctx, next) => {
    const { dry_run, diff } = queryIn(ctx.state);
    if (diff === 'true' && dry_run !== 'true')
      throw badRequest('The query is invalid: diff=true goes with dry_run=true only.');
    if (dry_run === 'true') ctx.state.dryRun = { diff: diff === 'true' };
    await next();
  };
}
