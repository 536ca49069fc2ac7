/** The regulator simulator as a process, for docker-compose. */
import { mkdir } from 'node:fs/promises';
import { configOfThisProcess } from '../config/index.ts';
import { startEmbeddedRegulator } from './shared/embedded.ts';
import { readArguments, runProcess } from './shared/program.ts';

readArguments({
  command: 'node src/processes/regulator-simulator.ts',
  about: 'Starts the regulator simulator, for trials.',
});

await runProcess('regulator simulator', async () => {
  const config = configOfThisProcess('trial part');
  await mkdir(config.dataDir, { recursive: true });
  return startEmbeddedRegulator(config, config.gateway.host);
});
