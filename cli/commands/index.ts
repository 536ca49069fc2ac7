/** Every command, in the order of `--help`. A new command is a function in a file of its subject, and a line here. */
import type { Command } from 'commander';
import type { Act } from '../context.ts';
import { addCompletionCommands } from './completion.ts';
import { addDoctorCommand } from './doctor.ts';
import { addDossierCommand } from './dossier.ts';
import { addFailuresCommands } from './failures.ts';
import { addAuditCommand, addProductCommand } from './history.ts';
import { addListCommand, addStatusCommand } from './list.ts';
import { addLoginCommands, addTokenCommand } from './login.ts';
import { addMendCommand } from './mend.ts';
import { addPackageCommand, addRepairPackCommand, addReportCommand } from './report.ts';
import { addCancelCommand, addRetryCommand } from './retry.ts';
import { addInsertingCommands, addSessionCommands } from './session.ts';
import { addStatisticsCommand } from './statistics.ts';
import { addUploadCommand } from './upload.ts';
import { addWatchCommand } from './watch.ts';
import { addWebhookCommands } from './webhook.ts';

export const COMMANDS: readonly ((program: Command, act: Act) => void)[] = [
  addUploadCommand,
  addStatusCommand,
  addListCommand,
  addWatchCommand,
  addRetryCommand,
  addCancelCommand,
  addFailuresCommands,
  addReportCommand,
  addRepairPackCommand,
  addMendCommand,
  addPackageCommand,
  addProductCommand,
  addDossierCommand,
  addStatisticsCommand,
  addSessionCommands,
  addInsertingCommands,
  addWebhookCommands,
  addAuditCommand,
  addDoctorCommand,
  addLoginCommands,
  addTokenCommand,
  addCompletionCommands,
];
