import { EntitySchema } from '@mikro-orm/core';
import * as auditEvent from './audit-event.ts';
import * as coordination from './coordination.ts';
import * as packageImport from './package-import.ts';
import * as queueResult from './queue-result.ts';
import * as statistics from './statistics.ts';
import * as submission from './submission.ts';
import * as webhook from './webhook.ts';

/** Every entity that a file of this folder exports. */
export const entities = [
  auditEvent,
  coordination,
  packageImport,
  queueResult,
  statistics,
  submission,
  webhook,
]
  .flatMap((file): unknown[] => Object.values(file))
  .filter((exported) => exported instanceof EntitySchema);
