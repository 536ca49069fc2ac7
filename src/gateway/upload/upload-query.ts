/**
 * The query of an upload: what has to be known of it before its body is read (decision §refuse-before-the-body). A dry
 * run that says so here needs no regulator session, for nothing will be sent to the regulator.
 */
import { badRequest } from '../http-error.ts';
import { type GatewayMiddleware, queryIn } from '../state.ts';

/** Finds out `dryRun`, behind the query's own check: absent where the query asks for none. */
export function readUploadQuery(): GatewayMiddleware {
  return async (ctx, next) => {
    const { dry_run, diff } = queryIn(ctx.state);
    if (diff === 'true' && dry_run !== 'true')
      throw badRequest('The query is invalid: diff=true goes with dry_run=true only.');
    if (dry_run === 'true') ctx.state.dryRun = { diff: diff === 'true' };
    await next();
  };
}
