import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a program and gives its stdout; fails with everything that the program printed. */
export async function execute(
  program: string,
  args: readonly string[],
  cwd: string,
  env?: NodeJS.ProcessEnv,
): Promise<string> {
  try {
    return (await run(program, args, { cwd, maxBuffer: 2 ** 26, ...(env && { env }) })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}
