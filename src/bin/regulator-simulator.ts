/** The regulator simulator as a process of its own, for docker-compose. */
import { mkdir } from 'node:fs/promises';
import { loadConfig } from '../config.ts';
import { startEmbeddedRegulator } from './embedded.ts';
import { runProcess } from './process.ts';

await runProcess('regulator simulator', async () => {
  const config = loadConfig();
  await mkdir(config.dataDir, { recursive: true });
  return startEmbeddedRegulator(config, config.gateway.host);
});
