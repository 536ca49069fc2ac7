/** The regulator simulator as a process of its own, for docker-compose. */
import { mkdir } from 'node:fs/promises';
import { startEmbeddedRegulator } from '../processes/embedded.ts';
import { configOfThisProcess } from '../processes/environment.ts';
import { runProcess } from '../processes/run-process.ts';

await runProcess('regulator simulator', async () => {
  const config = configOfThisProcess();
  await mkdir(config.dataDir, { recursive: true });
  return startEmbeddedRegulator(config, config.gateway.host);
});
