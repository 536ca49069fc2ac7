/** A workflow that waits for a signal: the version before `run-with-a-patch.ts`. */
import { condition, setHandler } from '@temporalio/workflow';
import { goOn } from './go-on.ts';

export async function waitsForASignal(): Promise<string> {
  let went = false;
  setHandler(goOn, () => {
    went = true;
  });
  await condition(() => went);
  return 'the old path';
}
