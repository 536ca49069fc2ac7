/** People of the embedded identity service. Their passwords are public, for trials on this machine only. */
import { PERMISSIONS } from '../../contract/operations.ts';

export interface Person {
  username: string;
  password: string;
  /** Description on the login page. */
  description: string;
  permissions: readonly string[];
  /** Like `submitters` of machine clients. */
  submitters: readonly string[];
}

export const OPERATOR: Person = {
  username: 'operator',
  password: 'operator',
  description: 'sees and does everything',
  permissions: Object.values(PERMISSIONS),
  submitters: ['99962'],
};

export const UPLOADER: Person = {
  username: 'uploader',
  password: 'uploader',
  description: 'imports packages and sees their results',
  permissions: Object.values(PERMISSIONS).filter(
    (one) => one !== PERMISSIONS.operate && one !== PERMISSIONS.manageSession,
  ),
  submitters: ['99962'],
};

export const PEOPLE = [OPERATOR, UPLOADER];
