/** The real curl: most clients of the interface are curl, or behave like it. */
import { execFile, spawnSync } from 'node:child_process';

export const hasCurl = spawnSync('curl', ['--version']).status === 0;

export interface CurlAnswer {
  /** 0 when curl has received the whole answer. */
  exitCode: number;
  complaint: string;
  status: number;
  body: string;
  /** Bytes of the request's body that curl has handed to the system. */
  uploaded: number;
}

export function curl(...options: string[]): Promise<CurlAnswer> {
  const args = [
    '--silent',
    '--show-error',
    '--max-time',
    '60',
    '--write-out',
    '\n%{http_code} %{size_upload}',
  ];
  return new Promise((resolve) => {
    execFile('curl', [...args, ...options], { maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      const lines = stdout.split('\n');
      const [status = '0', uploaded = '0'] = (lines.pop() ?? '').split(' ');
      resolve({
        exitCode: error ? Number(error.code) : 0,
        complaint: stderr.trim(),
        status: Number(status),
        body: lines.join('\n'),
        uploaded: Number(uploaded),
      });
    });
  });
}
