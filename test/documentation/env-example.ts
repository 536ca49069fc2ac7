/** `.env.example` as the tables of variables have it. */
import { GROUPS } from '../../src/config/groups/index.ts';
import type { Group } from '../../src/config/variable.ts';

const WIDTH = 118;
const RULE = 112;

const INTRODUCTION = `Every variable of the service, with its default. A line that is commented out changes nothing: uncomment what is to
differ. An empty value counts as not set.

\`npm start\`, the gateway, the workers and Docker Compose read \`.env\`; the environment itself wins. In containers the
addresses have the defaults of docker-compose.yml. Written from src/config/groups: npm test -- test/documentation -u`;

interface Described {
  name: string;
  default: string | null;
  about: string;
}

/** Docker Compose reads these, and no process of the service. */
const OF_COMPOSE: readonly Described[] = [
  {
    name: 'COMPOSE_PASSWORD',
    default: null,
    about:
      "Password of the servers: of PostgreSQL's users, of the administrators of Keycloak and Grafana, and, where that is not set, the ENCRYPTION_SECRET. At least 16 letters and digits. PostgreSQL takes it when its volume is new; later changes must be made in the database too.",
  },
  {
    name: 'TRIAL_PASSWORD',
    default: null,
    about:
      "Password of those who try the service: of Keycloak's people operator and uploader, of its clients demo-client, no-permission and other-company, and, where that is not set, the REGULATOR_PASSWORD.",
  },
];

export const COMPOSE_VARIABLES = OF_COMPOSE.map(({ name }) => name);

export function envExample(): string {
  const groups = Object.values<Group>(GROUPS).map(({ title, about, variables }) =>
    section(title, about, Object.values(variables)),
  );
  const compose = section(
    'Docker Compose only',
    'deploy/compose-secrets.sh generates both. Nothing starts without them.',
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
