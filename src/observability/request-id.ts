/** Adds the id of the request that started a run to every log line of its activities. */
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { REQUEST_ID_HEADER } from '../domain/run-context.ts';

export const logRequestId: ActivityInterceptorsFactory = () => {
  let requestId: string | undefined;
  return {
    inbound: {
      execute(input, next) {
        const payload = input.headers[REQUEST_ID_HEADER];
        if (payload) requestId = defaultPayloadConverter.fromPayload<string>(payload);
        return next(input);
      },
    },
    outbound: {
      getLogAttributes: (input, next) =>
        next(requestId === undefined ? input : { ...input, request_id: requestId }),
    },
  };
};
