/**
 * Writes the types of the client library, for programs without the repository's packages. TypeScript generates them.
 * Types that zod infers from the contract's schemas are written out, so that readers do not need zod.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, posix, relative, sep } from 'node:path';
import ts from 'typescript';

const INFERRED = /^src\/contract\/schemas\//;
const SPECIFIER = /((?:from|import)\s*\(?\s*['"])(\.[^'"]+)\.ts(['"])/g;
const WRITTEN_OUT =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.InTypeAlias |
  ts.TypeFormatFlags.MultilineObjectLiterals;

/**
 * Writes a declaration file for each module that the entry's types refer to.
 *
 * @param root of the repository
 * @param entry relative to it
 * @throws Error for a module whose types refer to a package
 */
export async function writeClientTypes(root, entry, directory) {
  const declarations = declarationsOf(root, entry);
  const waiting = [entry];
  const written = new Set();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (written.has(path)) continue;
    written.add(path);
    const text = declarations(path);
    // Written-out types are self-contained. A literal such as "import" in them is no import.
    for (const specifier of INFERRED.test(path) ? [] : specifiersOf(text)) {
      if (!specifier.startsWith('.')) throw new Error(`The types of ${path} need the package ${specifier}.`);
      waiting.push(posix.join(posix.dirname(path), specifier));
    }
    const file = join(directory, path.replace(/\.ts$/, '.d.ts'));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text.replace(SPECIFIER, '$1$2.js$3'));
  }
}

function declarationsOf(root, entry) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const emitting = { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: root };
  const program = ts.createProgram([join(root, entry)], emitting);
  const texts = new Map();
  const nameOf = (file) => relative(root, file).split(sep).join('/');
  program.emit(undefined, (file, text) => texts.set(nameOf(file).replace(/\.d\.ts$/, '.ts'), text));
  return (path) => {
    if (INFERRED.test(path)) return writtenOut(program, join(root, path));
    const text = texts.get(path);
    if (text === undefined) throw new Error(`There are no types of ${path}.`);
    return text;
  };
}

function writtenOut(program, file) {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const aliases = source.statements.filter(ts.isTypeAliasDeclaration);
  const lines = aliases.map((alias) => {
    const text = checker.typeToString(checker.getTypeAtLocation(alias.name), alias, WRITTEN_OUT);
    return `export type ${alias.name.text} = ${text};\n`;
  });
  return lines.join('\n');
}

function specifiersOf(text) {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(([, specifier]) => specifier);
}
