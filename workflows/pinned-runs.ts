/**
 * Which runs end with the version of the workers that began them, where workers are versioned (architecture
 * §versions-of-workers): those that take seconds or minutes, and wait for nobody. All others go on with whatever version is
 * current: they wait for a regulator, a mail server or a receiver, and old workers would have to wait with them.
 *
 * Only in the bundle of such workers: Temporal refuses the word of others, and their runs would never come to an end.
 */
import { setWorkflowOptions } from '@temporalio/workflow';
import { packageCheck } from './package-check.ts';
import { reconcile } from './reconcile.ts';
import { statistics } from './statistics.ts';

for (const workflow of [packageCheck, reconcile, statistics])
  setWorkflowOptions({ versioningBehavior: 'PINNED' }, workflow as (...args: never[]) => Promise<unknown>);
