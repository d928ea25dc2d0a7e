import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineRun, end, terminations } from 'fullstop';
import { type PayloadCodec, sqliteEngine } from 'fullstop/engines/sqlite';

/** AES-256-GCM with a fresh nonce for every text. In production the key comes from a key store. */
function encryption(key: Buffer): PayloadCodec {
  return {
    encode(text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    decode(text) {
      const bytes = Buffer.from(text, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(12, 28));
      return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

const folder = mkdtempSync(join(tmpdir(), 'fullstop-'));
const engine = sqliteEngine(join(folder, 'runs.db'), { codec: encryption(randomBytes(32)) });

const diagnosis = defineRun({
  name: 'diagnosis',
  run: async (context, input: { readonly patient: string }) =>
    end(
      terminations.flowCompleted({ last: 'look up' }),
      await context.step('look up', () => ({ patient: input.patient, finding: 'harmless' })),
    ),
});

const result = await diagnosis.run({ patient: 'Ada Example' }, { engine, runId: 'case-1' });
console.log(result.output);
console.log((await engine.verify('case-1', result.headHash)).status);
await engine.close();

const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
console.log('the name can be read in the file:', Buffer.concat(bytes).includes('Ada Example'));
rmSync(folder, { recursive: true });
