/** The parts of a running service that helpers for clients need. */
import type { Client } from '@temporalio/client';
import type { Config } from '../../src/config/index.ts';
import type { Database } from '../../src/database/index.ts';
import type { MachineClient } from '../../src/trial-parts/identity-service/identity-service.ts';
import type { Mailbox } from '../../src/trial-parts/mailbox/mailbox.ts';
import type { RunningSimulator } from '../../src/trial-parts/regulator-simulator/simulator.ts';

type Credentials = Pick<MachineClient, 'clientId' | 'clientSecret'>;

export interface StackParts {
  config: Config;
  gatewayUrl: string;
  /** The gateway's health and metrics. HEALTH_PORT is the port of the workers' health. */
  healthUrl: string;
  database: Database;
  temporal: Client;
  /** Runs a statement in the stack's database. */
  sql<T>(statement: string): Promise<T[]>;
  /** Number of rows in the stack's database. @param from what follows `from` in the statement */
  count(from: string): Promise<number>;
  mailbox: Mailbox;
  simulator: RunningSimulator;
  /** An access token of a client; the demo client by default. */
  token(client?: Credentials): Promise<string>;
  /** Logs the regulator session in again. */
  logIn(): Promise<void>;
}
