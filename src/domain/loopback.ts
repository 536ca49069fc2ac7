/** Where embedded parts listen. */
export const LOCALHOST = '127.0.0.1';

/** Whether only this machine can reach a host, or an address that is listened on. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return /^127(?:\.\d{1,3}){3}$/.test(name) || name === '::1' || /^(?:.+\.)?localhost$/.test(name);
}
