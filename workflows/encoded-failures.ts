/**
 * Failures whose message and stack are payloads, which codecs encrypt; a history says "Encoded failure" then.
 * Part of the bundle only where payloads are encrypted: without a codec nobody could read them in the Web UI.
 */
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
