/** Every command, in the order of `--help`. A new command is a file of its own and a line here. */
import type { Command } from 'commander';
import type { Act } from '../context.ts';
import { addAuditCommand } from './audit.ts';
import { addCancelCommand } from './cancel.ts';
import { addCompletionCommands } from './completion.ts';
import { addInsertingCommands } from './inserting.ts';
import { addListCommand } from './list.ts';
import { addLoginCommands } from './login.ts';
import { addProductCommand } from './product.ts';
import { addRepairPackCommand } from './repair-pack.ts';
import { addReportCommand } from './report.ts';
import { addRetryCommand } from './retry.ts';
import { addSessionCommands } from './session.ts';
import { addStatisticsCommand } from './statistics.ts';
import { addStatusCommand } from './status.ts';
import { addTokenCommand } from './token.ts';
import { addUploadCommand } from './upload.ts';
import { addWatchCommand } from './watch.ts';

export const COMMANDS: readonly ((program: Command, act: Act) => void)[] = [
  addUploadCommand,
  addStatusCommand,
  addListCommand,
  addWatchCommand,
  addRetryCommand,
  addCancelCommand,
  addReportCommand,
  addRepairPackCommand,
  addProductCommand,
  addStatisticsCommand,
  addSessionCommands,
  addInsertingCommands,
  addAuditCommand,
  addLoginCommands,
  addTokenCommand,
  addCompletionCommands,
];
