/** `.env.example` as the tables of variables have it. */
import { GROUPS } from '../../src/config/variables.ts';

const WIDTH = 118;
const RULE = 112;

const INTRODUCTION = `Every variable of the service, with its default. Uncomment a line to change its value. An empty value
counts as not set.

\`npm start\`, the gateway, the workers and Docker Compose read \`.env\`. The environment takes precedence over it. In
containers, addresses have the defaults of docker-compose.yml. Written from src/config/variables.ts: npm test -- test/documentation -u`;

interface Described {
  name: string;
  default: string | null;
  about: string;
}

/**
 * Docker Compose reads these, and no process of the service. deploy/compose-secrets.sh explains the generated passwords that
 * no person enters.
 */
const OF_COMPOSE: readonly Described[] = [
  {
    name: 'TRIAL_PASSWORD',
    default: null,
    about:
      "Password for trials: of Keycloak's people operator and uploader, and of its clients demo-client, no-permission and other-company. It is also the REGULATOR_PASSWORD if that is not set.",
  },
  {
    name: 'COMPOSE_OWNER_URL',
    default: null,
    about:
      'DATABASE_URL of the migration, with the owner of the tables. Set it together with DATABASE_URL. Not set: DATABASE_URL, if that is set.',
  },
];

export const COMPOSE_VARIABLES = OF_COMPOSE.map(({ name }) => name);

export function envExample(): string {
  const groups = GROUPS.map(({ title, about, variables }) =>
    section(
      title,
      about,
      Object.entries(variables).map(([name, variable]) => ({ name, ...variable })),
    ),
  );
  const compose = section(
    'Docker Compose only',
    'deploy/compose-secrets.sh generates TRIAL_PASSWORD and the passwords that it explains itself. Nothing starts without them.',
    OF_COMPOSE,
  );
  return `${[comment(INTRODUCTION), ...groups, compose].join('\n\n')}\n`;
}

function section(title: string, about: string | undefined, variables: readonly Described[]): string {
  const rule = `# --- ${title} ${'-'.repeat(RULE - title.length - 6)}`;
  const lines = variables.map((one) => `${comment(one.about)}\n#${one.name}=${one.default ?? ''}`);
  return `${[rule, ...(about ? [comment(about)] : [])].join('\n')}\n\n${lines.join('\n')}`;
}

/** Lines that are there stay; longer ones are broken between words. */
function comment(text: string): string {
  return text.split('\n').flatMap(wrap).join('\n');
}

function wrap(text: string): string[] {
  const lines = ['#'];
  for (const word of text.split(' ').filter(Boolean)) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length > WIDTH) lines.push(`# ${word}`);
    else lines[lines.length - 1] = line;
  }
  return lines;
}
