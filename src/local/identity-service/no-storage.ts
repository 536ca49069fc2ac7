/**
 * oidc-provider keeps what it issues in an adapter. Access tokens that are JWTs, issued by client
 * credentials, are the only thing issued here, and they carry everything themselves: nothing is stored.
 */
import type { Adapter } from 'oidc-provider';

export class NoStorage implements Adapter {
  async upsert(): Promise<void> {}
  async find(): Promise<undefined> {}
  async findByUserCode(): Promise<undefined> {}
  async findByUid(): Promise<undefined> {}
  async consume(): Promise<void> {}
  async destroy(): Promise<void> {}
  async revokeByGrantId(): Promise<void> {}
}
