/**
 * `npm run prove -- signatures`: whether the registry has signed what is installed, and where what it was built from is
 * attested. Ends with 0 where all is well, 1 where npm found something, and 2 where it could not look: the keys come from
 * the registry and from sigstore's servers, which a mirror or a network without a way out does not have.
 */
import { spawn } from 'node:child_process';

const CANNOT = 2;
const PATIENCE_MS = 5 * 60_000;

/** What npm says when it has verified nothing, by cause. */
const NOT_CHECKED: [RegExp, string][] = [
  [
    /\b(?:ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH|UNABLE_TO_\w+|SELF_SIGNED_\w+)\b/,
    'a server was not reached',
  ],
  [/\bE(?:401|403|404|5\d\d)\b/, 'a server refused to answer'],
  [
    /found no (?:installed )?dependencies to audit|No dependencies found/i,
    'the registry signs nothing, or nothing is installed',
  ],
];

const { npm_execpath: path, npm_node_execpath: node = process.execPath } = process.env;
const [command, ...first] = path ? [node, path] : ['npm'];
const child = spawn(
  command ?? 'npm',
  [...first, 'audit', 'signatures', '--fetch-retries=1', '--loglevel=error'],
  {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE_MS,
  },
);
let output = '';
for (const [stream, own] of [
  [child.stdout, process.stdout],
  [child.stderr, process.stderr],
] as const) {
  stream.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    own.write(text);
  });
}
child.once('error', ({ message }) => end(CANNOT, `npm did not start: ${message}`));
child.once('close', (code, signal) => {
  if (code === 0) end(0, null);
  else if (signal) end(CANNOT, 'npm did not end within five minutes');
  else {
    const reason = NOT_CHECKED.find(([pattern]) => pattern.test(output))?.[1];
    end(reason ? CANNOT : 1, reason ?? null);
  }
});

function end(code: number, reason: string | null): void {
  if (reason)
    process.stderr.write(`Signatures were NOT checked: ${reason}. This says nothing about the packages.\n`);
  process.exitCode = code;
}
