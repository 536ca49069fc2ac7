/** The regulator simulator as a process of its own, for docker-compose. */
import { mkdir } from 'node:fs/promises';
import { readArguments } from '../processes/arguments.ts';
import { startEmbeddedRegulator } from '../processes/embedded.ts';
import { configOfThisProcess } from '../processes/environment.ts';
import { runProcess } from '../processes/run-process.ts';

readArguments({
  command: 'node src/bin/regulator-simulator.ts',
  about: 'Starts the simulator of the regulator, for trials.',
});

await runProcess('regulator simulator', async () => {
  const config = configOfThisProcess();
  await mkdir(config.dataDir, { recursive: true });
  return startEmbeddedRegulator(config, config.gateway.host);
});
