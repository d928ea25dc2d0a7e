import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execute } from '../packaging/execute.js';
import type { WalkStep } from './read-walk.js';

/** A folder in which a reader follows a document, with nothing installed and no key set. */
export class Walker {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'fullstop-walk-'));
  readonly #tools: string;
  readonly #provider: string | undefined;

  constructor(tools: string, options: { readonly provider?: string } = {}) {
    this.#tools = tools;
    this.#provider = options.provider;
  }

  /** Does what a step says, and returns what a reader sees on standard output. */
  async follow(step: WalkStep): Promise<string> {
    if (step.type === 'save') {
      writeFileSync(join(this.folder, step.file), step.text);
      return '';
    }
    return await this.run(step.type === 'run' ? step.script : sessionScript(step.text));
  }

  /** Runs commands in the folder; fails with all that they printed. */
  async run(script: string): Promise<string> {
    return await execute('sh', ['-ec', script], this.folder, this.#environment());
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  #environment(): NodeJS.ProcessEnv {
    const global = join(this.folder, '.global');
    // Neither what is installed here nor a key of whoever runs the tests may help a reader along.
    const inherited = Object.entries(process.env).filter(([name]) => !/_API_KEY$|^FULLSTOP_|^npm_package_/.test(name));
    const paths = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
    return {
      ...Object.fromEntries(inherited),
      PATH: [join(this.#tools, 'bin'), join(global, 'bin'), ...paths].join(delimiter),
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      NO_COLOR: '1',
      WALK_PACKAGES: join(this.#tools, 'packages.json'),
      npm_config_prefix: global,
      // A provider that speaks OpenAI's protocol on this machine.
      ...(this.#provider !== undefined && { OPENAI_BASE_URL: this.#provider }),
    };
  }
}

/** The commands of a session. What they print is compared by the tests of sessions; here they have to work, with any exit code that an ending has. */
function sessionScript(text: string): string {
  const commands = text.split('\n').flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []));
  return commands
    .map((command) => `code=0; ${command} || code=$?; case $code in 2|126|127) exit $code;; esac`)
    .join('\n');
}
