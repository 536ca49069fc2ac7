/** Reading what Prometheus would scrape. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export async function scrape(url: string): Promise<{ text: string; samples: Sample[] }> {
  const response = await fetch(url);
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || !type.startsWith('text/plain; version=0.0.4'))
    throw new Error(`${url} answered ${response.status} ${type}`);
  const text = await response.text();
  return { text, samples: samplesOf(text) };
}

export function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] =
        /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/.exec(line) ?? [];
      if (name === '') throw new Error(`not a sample: ${line}`);
      return { name, labels: labelsOf(labels), value: Number(value) };
    });
}

function labelsOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return Object.fromEntries(pairs.map(([, name, value]) => [name, value ?? '']));
}

/** The sum of the samples of a name that have these labels. */
export function sumOf(samples: Sample[], name: string, labels: Record<string, string> = {}): number {
  const matching = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  return matching.reduce((sum, { value }) => sum + value, 0);
}
