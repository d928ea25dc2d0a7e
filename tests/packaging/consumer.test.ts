import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { execute } from './execute.js';

const require = createRequire(import.meta.url);
const project = inject('project');

const compilers = ['typescript-5.9', 'typescript-6.0', 'typescript'];
const resolutions = [
  { moduleResolution: 'nodenext', module: 'nodenext', lib: ['es2023'] },
  { moduleResolution: 'bundler', module: 'esnext', lib: ['es2023', 'dom'] },
];

beforeAll(() =>
  cpSync(join(dirname(fileURLToPath(import.meta.url)), 'consumer'), join(project, 'consumer'), { recursive: true }),
);

describe.each(compilers)('a consumer compiled with %s', (compiler) => {
  describe.each(resolutions)('and module resolution $moduleResolution', (resolution) => {
    test.each([true, false])('with exactOptionalPropertyTypes %s', async (exactOptionalPropertyTypes) => {
      const config = { ...resolution, exactOptionalPropertyTypes };
      await compile({ compiler, config, include: 'consumer' });
    });
  });

  // TS2742, TS2883 and TS4023 would say that a type cannot be named from outside of the package.
  test.each(['inferred-types.ts', 'inferred-pipeline.ts', 'inferred-agent.ts'])(
    'can write declarations of %s',
    async (file) => {
      const config = {
        module: 'nodenext',
        lib: ['es2023'],
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
      };
      const outDir = join(project, 'declarations', compiler);
      await compile({
        compiler,
        config: { ...config, outDir, rootDir: join(project, 'consumer') },
        include: `consumer/${file}`,
      });
      const declaration = readFileSync(join(outDir, file.replace('.ts', '.d.ts')), 'utf8');
      expect(declaration).not.toContain('/dist/');
      expect(declaration).toContain('import("fullstop');
    },
  );

  test('is notified of names that do not exist', async () => {
    writeFileSync(join(project, 'wrong.ts'), `import { noSuchName } from 'fullstop';\nnoSuchName;\n`);
    const compiled = compile({ compiler, config: { module: 'nodenext' }, include: 'wrong.ts' });
    await expect(compiled).rejects.toThrow('TS2305');
  });
});

interface Compilation {
  readonly compiler: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly include: string;
}

/** Compiles without `skipLibCheck`, so that the packed declarations are checked as well. */
async function compile({ compiler, config, include }: Compilation): Promise<void> {
  const strict = { strict: true, noEmit: true, target: 'es2022', types: [], skipLibCheck: false };
  const file = join(project, 'tsconfig.json');
  writeFileSync(file, JSON.stringify({ compilerOptions: { ...strict, ...config }, include: [include] }));
  const tsc = join(dirname(require.resolve(`${compiler}/package.json`)), 'bin', 'tsc');
  await execute('node', [tsc, '-p', file], project);
}
