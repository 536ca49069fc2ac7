/**
 * In a process of its own, where nothing else takes memory: streams a package and prints, as JSON, its
 * size and by how many bytes the process grew meanwhile.
 *
 * Arguments: megabytes of attachments, and whether to store them.
 */
import { generatePackage } from '../../../tools/package-generator/generate-package.ts';

const [megabytes, store] = process.argv.slice(2);

async function sizeOf(attachmentBytes: number): Promise<{ bytes: number; peak: number }> {
  let bytes = 0;
  let peak = 0;
  const options = { products: 20, attachmentBytes, storeAttachments: store === 'true' };
  for await (const chunk of generatePackage(options).toStream()) {
    bytes += chunk.length;
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  return { bytes, peak };
}

// A first run loads and compiles code, which is no growth.
await sizeOf(1024 * 1024);
const before = process.memoryUsage.rss();
const { bytes, peak } = await sizeOf(Number(megabytes) * 1024 * 1024);
process.stdout.write(JSON.stringify({ bytes, growth: peak - before }));
