/** The embedded identity service as a process of its own, for trials in containers. What it issues anybody can get: its secrets are published. */
import { mkdir } from 'node:fs/promises';
import { InvalidConfiguration } from '../config.ts';
import { isLoopback } from '../domain/loopback.ts';
import { readArguments } from '../processes/arguments.ts';
import { startEmbeddedIdentityService } from '../processes/embedded.ts';
import { configOfThisProcess } from '../processes/environment.ts';
import { runProcess } from '../processes/run-process.ts';

readArguments({
  command: 'node src/bin/identity-service.ts',
  about: 'Starts the embedded identity service, for trials: its secrets are published.',
});

await runProcess('identity service', async () => {
  const config = configOfThisProcess();
  const { host } = config.gateway;
  if (!isLoopback(host) && !config.allowDemoParts)
    throw new InvalidConfiguration(
      `HOST=${host} is open to others, and the secrets of this identity service are published: set ALLOW_DEMO_PARTS=true to try things out.`,
    );
  await mkdir(config.dataDir, { recursive: true });
  return startEmbeddedIdentityService(config, host);
});
