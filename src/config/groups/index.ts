import type { ValuesOfGroups } from '../variable.ts';
import { auth } from './auth.ts';
import { data } from './data.ts';
import { gateway, quotas } from './gateway.ts';
import { notifying } from './notifying.ts';
import { processes, safety } from './processes.ts';
import { regulator } from './regulator.ts';
import { temporal } from './temporal.ts';

/** All variables of the service, in the order of .env.example. */
export const GROUPS = { gateway, quotas, data, temporal, auth, regulator, notifying, processes, safety };

export type Values = ValuesOfGroups<typeof GROUPS>;

/** The names of all variables. */
export const CONFIG_VARIABLES = Object.values(GROUPS).flatMap(({ variables }) =>
  Object.values(variables).map(({ name }) => name),
);
