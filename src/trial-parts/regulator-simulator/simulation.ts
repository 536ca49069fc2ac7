/** State shared by the simulator's routes. */
import type { Behaviour } from './behaviour.ts';
import type { SimulatorState } from './state.ts';

export interface LoggedCall {
  /** Times of arrival and of the answer, in milliseconds since 1970. */
  at: number;
  answered_at: number;
  method: string;
  path: string;
  status: number;
  /** Time before which a 429 forbade another call; null for other answers. */
  retry_at: number | null;
}

export interface Simulation {
  state: SimulatorState;
  behaviour: Behaviour;
  /** In the order of their answers, so that tests can measure the behaviour of clients. Only the last ones are kept. */
  calls: LoggedCall[];
  credentials: { username: string; password: string };
  mailCode(code: string): Promise<void>;
}
