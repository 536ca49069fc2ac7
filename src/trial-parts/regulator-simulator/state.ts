/**
 * The simulator's state: cases and sessions. Every change is appended to a journal before it is
 * answered, so that the state survives a restart like that of a real regulator.
 */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { InsertStep } from '../../contract/steps.ts';
import type { Behaviour } from './behaviour.ts';

export interface AcceptedContent {
  /** Number of times that this step or attachment was sent and accepted. */
  accepted: number;
  /** Digest and size of the last accepted content. */
  sha256: string;
  bytes: number;
}

export interface SimulatedCase {
  case_id: string;
  client_reference: string;
  product_id: string;
  product_type: number;
  submission_type: string;
  submission_date: string;
  modified_date: string;
  /** Number of requests for a case under this reference. */
  opened: number;
  steps: Partial<Record<InsertStep, AcceptedContent>>;
  attachments: Record<string, AcceptedContent>;
}

interface Session {
  token: string;
  expiresAt: number;
}

type Change =
  | { type: 'case'; value: SimulatedCase }
  | { type: 'login'; value: { login_id: string; code: string } | null }
  | { type: 'session'; value: Session | null };

export interface LoggedCall {
  /** Times of arrival and of the answer, in milliseconds since 1970. */
  at: number;
  answered_at: number;
  method: string;
  path: string;
  status: number;
  /** Time before which a 429 forbade another call; null for other answers. */
  retry_at: number | null;
}

/** State shared by the routes. */
export interface Simulation {
  state: SimulatorState;
  behaviour: Behaviour;
  /** In the order of their answers, so that tests can measure the behaviour of clients. Only the last ones are kept. */
  calls: LoggedCall[];
  credentials: { username: string; password: string };
  mailCode(code: string): Promise<void>;
}

const FIRST_CASE = 100_000;

export class SimulatorState {
  readonly #journal: FileHandle;
  readonly #cases = new Map<string, SimulatedCase>();
  readonly #byReference = new Map<string, string>();
  #lastCase = FIRST_CASE;
  #login: { login_id: string; code: string } | null = null;
  #session: Session | null = null;

  private constructor(journal: FileHandle) {
    this.#journal = journal;
  }

  /** @throws when the journal cannot be read */
  static async open(path: string): Promise<SimulatorState> {
    await mkdir(dirname(path), { recursive: true });
    const journal = await open(path, 'a+');
    const state = new SimulatorState(journal);
    try {
      for await (const line of journal.readLines({ start: 0, autoClose: false })) {
        const change = parseLine(line);
        if (change) state.#apply(change);
      }
    } catch (error) {
      await journal.close();
      throw error;
    }
    return state;
  }

  get cases(): SimulatedCase[] {
    return [...this.#cases.values()];
  }

  nextCaseId(): string {
    this.#lastCase += 1;
    return `CASE-${this.#lastCase}`;
  }

  get pendingCode(): string | null {
    return this.#login?.code ?? null;
  }

  case(caseId: string): SimulatedCase | undefined {
    return this.#cases.get(caseId);
  }

  caseOf(clientReference: string): SimulatedCase | undefined {
    return this.case(this.#byReference.get(clientReference) ?? '');
  }

  /** @returns whether the token belongs to the session, and the session has not expired */
  accepts(token: string): boolean {
    return this.#session?.token === token && this.#session.expiresAt > Date.now();
  }

  async save(value: SimulatedCase): Promise<void> {
    await this.#record({ type: 'case', value });
  }

  async beginLogin(): Promise<{ login_id: string; code: string }> {
    const login = { login_id: randomUUID(), code: String(randomInt(1_000_000)).padStart(6, '0') };
    await this.#record({ type: 'login', value: login });
    return login;
  }

  /** The new session, or null when the code is not that of the pending login. */
  async verify(loginId: string, code: string, ttlSeconds: number): Promise<Session | null> {
    if (!this.#login || this.#login.login_id !== loginId || this.#login.code !== code) return null;
    await this.#record({ type: 'login', value: null });
    return this.grant(ttlSeconds);
  }

  async grant(ttlSeconds: number): Promise<Session> {
    const session = {
      token: randomBytes(24).toString('base64url'),
      expiresAt: Date.now() + ttlSeconds * 1000,
    };
    await this.#record({ type: 'session', value: session });
    return session;
  }

  async endSession(): Promise<void> {
    await this.#record({ type: 'session', value: null });
  }

  async close(): Promise<void> {
    await this.#journal.close();
  }

  async #record(change: Change): Promise<void> {
    this.#apply(change);
    // The first break ends a line that a kill has truncated.
    await this.#journal.appendFile(`\n${JSON.stringify(change)}\n`);
  }

  #apply(change: Change): void {
    switch (change.type) {
      case 'case':
        this.#cases.set(change.value.case_id, change.value);
        this.#byReference.set(change.value.client_reference, change.value.case_id);
        this.#lastCase = Math.max(this.#lastCase, Number(change.value.case_id.replace('CASE-', '')));
        break;
      case 'login':
        this.#login = change.value;
        break;
      case 'session':
        this.#session = change.value;
    }
  }
}

/** Ignores a line that a kill has truncated: its change was never answered. */
function parseLine(line: string): Change | null {
  try {
    return JSON.parse(line) as Change;
  } catch {
    return null;
  }
}
