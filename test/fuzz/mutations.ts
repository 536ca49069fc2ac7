/** Ways in which a package goes wrong: by bytes, in the records of its ZIP, in the XML of one file. */
import type { Random } from '../../tools/package-generator/random.ts';
import type { EntrySpec, ZipSpec } from '../archive/support/zip-writer.ts';

/** Numbers at which programs go wrong. */
const NUMBERS = [
  0, 1, 2, 8, 20, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xfffe, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe,
  0xffffffff,
];

/** A few changes anywhere. */
export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  let mutated: Buffer = Buffer.from(bytes);
  for (let change = random.int(1, 4); change > 0; change -= 1) mutated = changeBytes(mutated, random);
  return mutated;
}

function changeBytes(bytes: Buffer, random: Random): Buffer {
  if (bytes.length < 2) return random.bytes(random.int(1, 50));
  const at = random.int(0, bytes.length - 1);
  const until = Math.min(
    bytes.length,
    at +
      random.weighted([
        [random.int(1, 8), 4],
        [random.int(1, 5000), 1],
      ]),
  );
  const [front, piece, rear] = [bytes.subarray(0, at), bytes.subarray(at, until), bytes.subarray(until)];
  const changes: (() => Buffer)[] = [
    () => Buffer.concat([front, piece.map((byte) => byte ^ (1 << random.int(0, 7))), rear]),
    () => Buffer.concat([front, random.bytes(piece.length), rear]),
    () => Buffer.concat([front, Buffer.alloc(piece.length, random.pick([0, 0xff, 0x20, 0x3c])), rear]),
    () => Buffer.concat([front, rear]),
    () => Buffer.concat([front, piece, piece, rear]),
    () => Buffer.concat([front, random.bytes(random.int(1, 30)), piece, rear]),
    () => Buffer.concat([rear, piece, front]),
    () => front,
  ];
  return random.pick(changes)();
}

/** The records of a ZIP, and how long each is. */
const RECORDS: readonly (readonly [signature: number, bytes: number])[] = [
  [0x04034b50, 30],
  [0x02014b50, 46],
  [0x06054b50, 22],
  [0x06064b50, 56],
  [0x07064b50, 20],
  [0x08074b50, 16],
];

/** Other numbers in a few fields of the ZIP's records. */
export function mutateRecords(zip: Buffer, random: Random): Buffer {
  const mutated = Buffer.from(zip);
  const records = RECORDS.flatMap(([signature, bytes]) =>
    placesOf(zip, signature).map((at) => ({ at, bytes })),
  ).filter(({ at, bytes }) => at + bytes <= zip.length);
  for (let change = random.int(1, 3); change > 0 && records.length > 0; change -= 1) {
    const { at, bytes } = random.pick(records);
    const size = random.pick([1, 2, 4] as const);
    const field = at + random.int(0, Math.floor(bytes / size) - 1) * size;
    const old = mutated.readUIntLE(field, size);
    const value = random.pick([
      ...NUMBERS,
      old + 1,
      old - 1,
      random.pick(records).at,
      zip.length,
      random.int(0, 70_000),
    ]);
    mutated.writeUIntLE((value >>> 0) % 2 ** (8 * size), field, size);
  }
  return mutated;
}

function placesOf(bytes: Buffer, signature: number): number[] {
  const wanted = Buffer.alloc(4);
  wanted.writeUInt32LE(signature);
  const places: number[] = [];
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) places.push(at);
  return places;
}

/** Values that a person might enter, or a program might write into a file. */
const VALUES = [
  '',
  ' ',
  '0',
  '-1',
  '1e309',
  'INF',
  'NaN',
  '10.0',
  '04',
  '٤',
  'true',
  'TRUE',
  'null',
  '2026-02-30',
  '2026-1-1',
  '--',
  '99962-22-00001',
  '&lt;',
  '&#0;',
  '&#xD800;',
  '&#x1F600;',
  '&nbsp;',
  '&',
  '<',
  ']]>',
  '<![CDATA[x]]>',
  '<!-- -->',
  '<?p?>',
  '<!DOCTYPE x>',
  '\u0001',
  '\ufffe',
  '\u{1f600}',
  '\u202e',
  'x'.repeat(2000),
  '<a>'.repeat(80),
  '__proto__',
  '<__proto__/>',
  '<toString/>',
  ' confidential="maybe"',
  ' xmlns="urn:x"',
  ' x:y="1"',
  '\r\n',
  '\u2028',
  '<Attachment attachmentID="x"/>',
];
const ENCODINGS = ['UTF-8', 'utf-16', 'ISO-8859-1', 'windows-1252', 'x', 'utf-7', 'Shift_JIS'];

/** A few changes to the text, mostly to whole tags and values. */
export function mutateXml(xml: Buffer, random: Random): Buffer {
  if (random.chance(0.15)) return mutateBytes(xml, random);
  let parts = xml.toString().split(/(<[^>]*>)/);
  for (let change = random.int(1, 4); change > 0; change -= 1) parts = changeParts(parts, random);
  const text = parts.join('');
  if (random.chance(0.05)) return Buffer.from(`\ufeff${text}`, 'utf16le');
  return Buffer.from(text, random.chance(0.05) ? 'latin1' : 'utf8');
}

function changeParts(parts: readonly string[], random: Random): string[] {
  const at = random.int(0, parts.length - 1);
  const part = parts[at] ?? '';
  const other = random.int(0, parts.length - 1);
  const insideOf = (text: string) => {
    const cut = random.int(0, text.length);
    return text.slice(0, cut) + random.pick(VALUES) + text.slice(cut);
  };
  const changes: (() => string[])[] = [
    () => parts.with(at, random.pick(VALUES)),
    () => parts.with(at, insideOf(part)),
    () => parts.with(at, ''),
    () => parts.with(at, part + part),
    () =>
      parts.with(
        at,
        part.replace(/"[^"]*"/, () => `"${random.pick(VALUES)}"`),
      ),
    () =>
      parts.with(
        at,
        part.replace(/\w+/, (name) =>
          random.pick([name.toLowerCase(), `ns:${name}`, 'Name', 'Presentations']),
        ),
      ),
    () => parts.with(at, parts[other] ?? '').with(other, part),
    () => [...parts.slice(0, Math.min(at, other)), ...parts.slice(Math.max(at, other))],
    () => [...parts.slice(0, Math.max(at, other)), ...parts.slice(Math.min(at, other))],
    () => parts.map((each) => each.replace(/encoding="[^"]*"/, () => `encoding="${random.pick(ENCODINGS)}"`)),
  ];
  return random.pick(changes)();
}

/** The same files packed in a way that is rare but right. */
export function packRarely(files: readonly { path: string; content: Buffer }[], random: Random): ZipSpec {
  const entries = files.map<EntrySpec>(({ path, content }) => {
    const descriptor = random.pick(['none', 'with signature', 'without signature'] as const);
    const name = random.pick([path, `./${path}`, path.replaceAll('/', '\\'), path.replace('/', '//')]);
    return {
      name,
      content,
      deflated: random.chance(0.6),
      zip64: random.chance(0.3),
      ...(descriptor !== 'none' && { descriptor }),
      ...(random.chance(0.5) && { mode: 0o100644 }),
    };
  });
  return {
    entries,
    zip64: random.chance(0.3),
    countsBefore: random.chance(0.5),
    before: random.chance(0.3) ? random.bytes(random.int(1, 300)) : Buffer.alloc(0),
    comment: random.chance(0.3) ? 'x'.repeat(random.int(1, 2000)) : '',
  };
}
