/** Routes that open cases and accept their sections and attachments. */
import { createHash, hash } from 'node:crypto';
import { bodyParser } from '@koa/bodyparser';
import type Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { stringify } from 'safe-stable-stringify';
import { INSERT_STEPS, type InsertStep } from '../../contract/steps.ts';
import { type Behaviour, EvenShare, RateMeter } from './behaviour.ts';
import { fail, requireSession } from './session-routes.ts';
import type { AcceptedContent, SimulatedCase, Simulation } from './state.ts';
import { caseRequest, reasonsAgainst, reasonsOf } from './validation.ts';

export function caseRoutes(api: Router, simulation: Simulation): void {
  const { state, behaviour } = simulation;
  const json = bodyParser({ enableTypes: ['json'], jsonLimit: '32mb' });
  const guard = misbehave(simulation);

  api.post('/cases', guard, json, async (ctx) => {
    const request = caseRequest.safeParse(ctx.request.body);
    if (!request.success) return fail(ctx, 422, 'the case is invalid', { reasons: reasonsOf(request.error) });
    const { client_reference, product_id, product_type, submission_type } = request.data;
    if (ctx.get('idempotency-key') !== client_reference)
      return fail(ctx, 400, 'the header Idempotency-Key must equal the client_reference');
    const known = state.caseOf(client_reference);
    if (known && known.product_id !== product_id)
      return fail(ctx, 409, 'the client_reference belongs to a case of another product');
    const now = new Date().toISOString();
    const opened: SimulatedCase = known
      ? { ...known, opened: known.opened + 1 }
      : {
          case_id: state.nextCaseId(),
          client_reference,
          product_id,
          product_type,
          submission_type: submission_type === null ? '' : String(submission_type),
          submission_date: now,
          modified_date: now,
          opened: 1,
          steps: {},
          attachments: {},
        };
    await state.save(opened);
    ctx.status = known ? 200 : 201;
    const { case_id, submission_date, modified_date, submission_type: type } = opened;
    ctx.body = { case_id, submission_date, modified_date, submission_type: type };
  });

  api.put('/cases/:caseId/steps/:step', guard, json, async (ctx) => {
    const found = state.case(ctx.params.caseId ?? '');
    const step = ctx.params.step as InsertStep;
    if (!found || !INSERT_STEPS.includes(step)) return fail(ctx, 404, 'no such case or step');
    if (step !== 'init_validate' && !found.steps.init_validate)
      return fail(ctx, 409, 'the step init_validate must come first');
    const rejection = behaviour.reject.find(
      (rule) => rule.product_id === found.product_id && rule.step === step,
    );
    if (rejection)
      return fail(ctx, 422, 'the section is rejected', {
        reasons: [{ path: step, message: rejection.message }],
      });
    const reasons = reasonsAgainst(step, ctx.request.body, found.product_id);
    if (reasons.length > 0) return fail(ctx, 422, 'the section is rejected', { reasons });
    // Sorted keys make the digest independent of the key order, so that a test can compare it.
    const text = stringify(ctx.request.body) ?? '';
    const modified_date = new Date().toISOString();
    const content = accept(found.steps[step], hash('sha256', text), Buffer.byteLength(text));
    await state.save({ ...latest(found), modified_date, steps: { ...latest(found).steps, [step]: content } });
    ctx.body = { case_id: found.case_id, step, modified_date };
  });

  api.put('/cases/:caseId/attachments/:attachmentId', guard, async (ctx) => {
    const found = state.case(ctx.params.caseId ?? '');
    const attachmentId = ctx.params.attachmentId ?? '';
    if (!found) return fail(ctx, 404, 'no such case');
    const digest = createHash('sha256');
    let bytes = 0;
    for await (const chunk of ctx.req as AsyncIterable<Buffer>) {
      digest.update(chunk);
      bytes += chunk.length;
    }
    const sha256 = digest.digest('hex');
    if (sha256 !== ctx.get('x-content-sha256'))
      return fail(ctx, 422, 'the attachment does not match its x-content-sha256');
    const content = accept(found.attachments[attachmentId], sha256, bytes);
    await state.save({
      ...latest(found),
      attachments: { ...latest(found).attachments, [attachmentId]: content },
    });
    ctx.body = { attachment_id: attachmentId };
  });

  /** The current case: another call may have changed it while this one was read. */
  function latest({ case_id }: SimulatedCase): SimulatedCase {
    return state.case(case_id) as SimulatedCase;
  }
}

function accept(before: AcceptedContent | undefined, sha256: string, bytes: number): AcceptedContent {
  return { accepted: (before?.accepted ?? 0) + 1, sha256, bytes };
}

/** Session, rate limit and faults of case calls. */
function misbehave(simulation: Simulation): Middleware {
  const { behaviour } = simulation;
  const meter = new RateMeter();
  const failures = new EvenShare();
  const lostAnswers = new EvenShare();
  return async (ctx, next) => {
    if (!requireSession(ctx, simulation)) return;
    const retryAt = meter.refusal(behaviour);
    if (retryAt !== null) {
      ctx.state.retryAt = retryAt;
      ctx.set('Retry-After', retryAfter(retryAt, behaviour));
      return fail(ctx, 429, 'too many calls');
    }
    const call = `${ctx.path} ${ctx.get('idempotency-key')}`;
    if (failures.selects(behaviour.failure_rate, call)) return fail(ctx, 500, 'failed on request');
    const losesAnswer = lostAnswers.selects(behaviour.lost_answer_rate, call);
    await next();
    if (losesAnswer) drop(ctx as Context);
  };
}

/** Rounded up, so that a client that returns at the given time is admitted. */
function retryAfter(retryAt: number, { retry_after_form }: Behaviour): string {
  return retry_after_form === 'date'
    ? new Date(Math.ceil(retryAt / 1000) * 1000).toUTCString()
    : String(Math.ceil((retryAt - Date.now()) / 1000));
}

function drop(ctx: Context): void {
  ctx.respond = false;
  ctx.req.socket.destroy();
}
