import type { Behaviour } from './behaviour.ts';
import type { CallLog } from './call-log.ts';
import type { SimulatorState } from './state.ts';

/** State shared by the simulator's routes. */
export interface Simulation {
  state: SimulatorState;
  behaviour: Behaviour;
  calls: CallLog;
  credentials: { username: string; password: string };
  mailCode(code: string): Promise<void>;
}
