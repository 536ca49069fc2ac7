/** The address on which embedded parts listen. */
export const LOCALHOST = '127.0.0.1';

/** Whether a host or a listening address can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return /^127(?:\.\d{1,3}){3}$/.test(name) || name === '::1' || /^(?:.+\.)?localhost$/.test(name);
}
