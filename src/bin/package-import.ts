/** The command for people and scripts that use the service. */
import { Command } from 'commander';
import { createApiClient } from '../client/api-client.ts';
import { announce, fail } from './console.ts';

const program = new Command('package-import')
  .description('Talks to a package import service.')
  .option(
    '--gateway <url>',
    'base URL of the gateway (PACKAGE_IMPORT_URL)',
    process.env.PACKAGE_IMPORT_URL ?? 'http://127.0.0.1:8080',
  )
  .option(
    '--token-url <url>',
    'token endpoint (PACKAGE_IMPORT_TOKEN_URL)',
    process.env.PACKAGE_IMPORT_TOKEN_URL ?? 'http://127.0.0.1:8081/oauth2/token',
  )
  .option(
    '--client-id <id>',
    'OAuth2 client (PACKAGE_IMPORT_CLIENT_ID)',
    process.env.PACKAGE_IMPORT_CLIENT_ID ?? 'demo-client',
  )
  .option(
    '--client-secret <secret>',
    'its secret (PACKAGE_IMPORT_CLIENT_SECRET)',
    process.env.PACKAGE_IMPORT_CLIENT_SECRET ?? 'demo-secret',
  );

function client() {
  const { gateway, tokenUrl, clientId, clientSecret } = program.opts<Record<string, string>>();
  return createApiClient({
    gatewayUrl: gateway ?? '',
    tokenUrl: tokenUrl ?? '',
    clientId: clientId ?? '',
    clientSecret: clientSecret ?? '',
  });
}

const session = program.command('session').description("the service's own login with the regulator");
const say = async (method: string, path = '', json?: object) => {
  const { message } = await client().call(
    method,
    `/regulator/session${path}`,
    json === undefined ? {} : { json },
  );
  announce(message);
};
session
  .command('status')
  .description('the state of the session')
  .action(() => say('GET'));
session
  .command('login')
  .description('start a new login; the regulator mails a code')
  .action(() => say('POST'));
session
  .command('verify')
  .argument('<code>', 'the code from the e-mail')
  .description('give the code')
  .action((code: string) => say('POST', '/verification', { code }));
session
  .command('logout')
  .description('end the session')
  .action(() => say('DELETE'));

await program.parseAsync().catch(fail);
