import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5.9';

const folder = dirname(fileURLToPath(import.meta.url));
const file = join(folder, 'generated-stages.ts');

/** A pipeline in which every stage reads the one before it and some further back. */
export function stagesSource(stages: number): string {
  const lines = Array.from({ length: stages }, (_, index) => {
    const [before, further] = [`s${index - 1}`, `s${Math.floor(index / 2)}`];
    const sum =
      index < 3
        ? `({ ${before} }) => ${before}.output`
        : `({ ${before}, ${further} }) => ${before}.output + ${further}.output`;
    const options =
      index % 5 === 4
        ? `, { onCompleted: (run) => (run.outcome === 'succeeded' && run.output > 1 ? undefined : null) }`
        : '';
    return `  .stage('s${index}', ${index === 0 ? '({ input }) => input.length' : sum}${options})`;
  });
  const last = stages === 0 ? '' : 'export const last: number = pipelineOfMany.stageNames.length;';
  return `import { pipeline } from 'fullstop/pipeline';\nexport const pipelineOfMany = pipeline('p').accepting<string>()\n${lines.join('\n')};\n${last}\n`;
}

const options: ts.CompilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2023.d.ts'],
  types: [],
  noEmit: true,
  skipLibCheck: true,
};

const parsed = new Map<string, ts.SourceFile>();

interface Checked {
  readonly errors: readonly string[];
  readonly instantiations: number;
  readonly milliseconds: number;
  readonly program: ts.Program;
}

/** Checks such a file with TypeScript 5.9; what an `old` program has read is not read again. */
export function checkStages(text: string, old?: ts.Program): Checked {
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  const readOnce: typeof read = (path, ...rest) => {
    const source = parsed.get(path) ?? read(path, ...rest);
    if (source !== undefined) parsed.set(path, source);
    return source;
  };
  host.fileExists = (path) => path === file || ts.sys.fileExists(path);
  host.getSourceFile = (path, version, ...rest) =>
    path === file ? ts.createSourceFile(path, text, version, true) : readOnce(path, version, ...rest);
  const program = ts.createProgram([file], options, host, old);
  const generated = program.getSourceFile(file);
  const before = performance.now();
  const diagnostics = program.getSemanticDiagnostics(generated);
  const milliseconds = performance.now() - before;
  const errors = diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  return { errors, instantiations: program.getInstantiationCount(), milliseconds, program };
}
