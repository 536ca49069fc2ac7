/** The workflow of `run-of-before.ts` with a change that older runs skip. */
import { condition, patched, setHandler } from '@temporalio/workflow';
import { goOn } from './go-on.ts';

export async function waitsForASignal(): Promise<string> {
  const path = patched('another-path') ? 'the new path' : 'the old path';
  let went = false;
  setHandler(goOn, () => {
    went = true;
  });
  await condition(() => went);
  return path;
}
