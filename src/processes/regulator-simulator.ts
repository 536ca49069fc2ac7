/** The regulator simulator as a process, for docker-compose. */
import { configOfThisProcess } from '../config/index.ts';
import { startEmbeddedRegulator } from './shared/embedded.ts';
import { readArguments, runProcess } from './shared/program.ts';

readArguments({
  command: 'node src/processes/regulator-simulator.ts',
  about: 'Starts the regulator simulator, for trials.',
});

await runProcess('regulator simulator', async () => {
  const config = configOfThisProcess('trial part');
  return startEmbeddedRegulator(config, config.gateway.host);
});
