/**
 * Makes texts of clients, files and the regulator safe for a mail: one line each, with every character visible.
 * Otherwise a comment or a file name could forge lines of the mail, or reverse the text direction.
 */
import { excerpt } from '../../common/text.ts';

/** Maximum lengths in characters. */
const LONGEST = { comment: 200, name: 300, reason: 1_000 };

/** A comment as one short line. */
export const commentLine = (comment: string) => excerpt(comment.trim(), LONGEST.comment);
/** Names of files, ids, types. */
export const nameLine = (name: string) => excerpt(name, LONGEST.name);
/** Reasons, warnings, remarks. */
export const reasonLine = (reason: string) => excerpt(reason, LONGEST.reason);
