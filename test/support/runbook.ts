/** The commands of a page such as `deploy/runbook.md`, and an operator who executes them against a stack. */
import { chmod, symlink, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { connectionTo } from './command.ts';
import { eventually } from './eventually.ts';
import { ROOT, readCommands, shell } from './page-commands.ts';
import type { Stack } from './starters/stack.ts';
import { temporaryDirectory } from './temporary.ts';

/** The block that is executed before every other block, as in an operator's shell. */
const CONNECTION = 'connection';

/** Variables of the commands. */
export interface Variables {
  REASON_CODE?: string;
  IMPORT_ID?: number;
  SUBMISSION_ID?: number;
  PRODUCT_ID?: string;
  ACTIVITY_ID?: string;
}

export const readRunbook = () => readCommands('deploy/runbook.md');

export interface Operator {
  /**
   * Executes a block in a shell of its own.
   *
   * @throws when there is no such block, or its exit code is not `code`
   */
  run(name: string, variables?: Variables, code?: number): Promise<string>;
  /** Names of the executed blocks. */
  executed: ReadonlySet<string>;
}

/** @param binaries paths by command, or the command's name if it is on the PATH */
export async function createOperator(
  stack: Stack,
  blocks: ReadonlyMap<string, string>,
  binaries: Readonly<Record<string, string>>,
): Promise<Operator> {
  const { config } = stack;
  const directory = await temporaryDirectory();
  for (const [name, path] of Object.entries(binaries)) {
    if (isAbsolute(path)) await symlink(path, join(directory, name));
  }
  const service = join(directory, 'package-import');
  const [, gateway, , tokenUrl] = connectionTo(stack);
  await writeFile(
    service,
    `#!/bin/sh\nexec "${process.execPath}" "${ROOT}cli/package-import.ts" "$@" --gateway "${gateway}" --token-url "${tokenUrl}"\n`,
  );
  await chmod(service, 0o755);
  const executed = new Set<string>();
  const environment = {
    PATH: [directory, dirname(process.execPath), process.env.PATH].join(':'),
    HOME: directory,
    TEMPORAL_ADDRESS: config.temporal.address,
    TEMPORAL_NAMESPACE: config.temporal.namespace,
    // The test machine may be slow.
    TEMPORAL_CONTEXT_TIMEOUT: '30',
    REASON: 'because a test wants it',
  };

  return {
    executed,
    async run(name, variables = {}, code = 0) {
      const command = blocks.get(name);
      if (command === undefined) throw new Error(`The page has no block "${name}"`);
      executed.add(CONNECTION).add(name);
      if (command.includes('--query')) await noBatchRuns(stack);
      const given = Object.entries(variables).map(([key, value]) => [key, String(value)]);
      const result = await shell(`${blocks.get(CONNECTION)}\n${command}`, {
        ...environment,
        ...Object.fromEntries(given),
      });
      const output = result.stdout + result.stderr;
      if (result.code !== code) throw new Error(`${name} ended with ${result.code}: ${output}`);
      return output;
    },
  };
}

/** Waits until no batch operation runs: the server accepts one at a time, and an operator would retry. */
async function noBatchRuns({ temporal }: Stack): Promise<void> {
  await eventually(async () => {
    const { operationInfo } = await temporal.workflowService.listBatchOperations({
      namespace: temporal.options.namespace,
    });
    return (operationInfo ?? []).every(({ closeTime }) => closeTime);
  });
}
