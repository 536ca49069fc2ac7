/** The embedded identity service as a process, for trials in containers. Its secrets are published. */
import { mkdir } from 'node:fs/promises';
import { isLoopback } from '../common/network.ts';
import { configOfThisProcess, InvalidConfiguration } from '../config/index.ts';
import { startEmbeddedIdentityService } from './shared/embedded.ts';
import { readArguments, runProcess } from './shared/program.ts';

readArguments({
  command: 'node src/processes/identity-service.ts',
  about: 'Starts the embedded identity service. It is meant for trials: its secrets are published.',
});

await runProcess('identity service', async () => {
  const config = configOfThisProcess('trial part');
  const { host } = config.gateway;
  if (!isLoopback(host) && !config.allowDemoParts)
    throw new InvalidConfiguration([
      `HOST=${host} is open to other machines, but the secrets of this identity service are published: set ALLOW_DEMO_PARTS=true for a trial.`,
    ]);
  await mkdir(config.dataDir, { recursive: true });
  return startEmbeddedIdentityService(config, host);
});
