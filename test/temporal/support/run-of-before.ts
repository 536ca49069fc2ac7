/** A workflow that waits for a signal, as it was before `run-with-a-patch.ts`. */
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
