/**
 * Texts of clients, files and the regulator, made fit for a mail: each one line, in which every character is seen.
 * Otherwise a comment or a file name could write lines of the mail, or turn the text around.
 */
import { excerpt } from '../domain/text.ts';

/** Characters. */
const LONGEST = { comment: 200, name: 300, reason: 1_000 };

/** A comment as one short line. */
export const commentLine = (comment: string) => excerpt(comment.trim(), LONGEST.comment);
/** Names of files, ids, types. */
export const nameLine = (name: string) => excerpt(name, LONGEST.name);
/** Reasons, warnings, remarks. */
export const reasonLine = (reason: string) => excerpt(reason, LONGEST.reason);
