import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel, type IConfigFile } from '@microsoft/api-extractor';
import type { EntryPoint, PublishedPackage } from './published-packages.js';

/** The names and signatures of one entry point, as Markdown. */
export function apiReport(published: PublishedPackage, entry: EntryPoint): string {
  if (!existsSync(entry.types)) throw new Error(`${entry.types} is missing. Build first: npm run build`);
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-api-'));
  try {
    const config = ExtractorConfig.prepare({
      configObject: configFor(published, entry, folder),
      configObjectFullPath: undefined,
      packageJsonFullPath: join(published.folder, 'package.json'),
    });
    const errors: string[] = [];
    Extractor.invoke(config, {
      localBuild: true,
      messageCallback: (message) => {
        if (message.logLevel === ExtractorLogLevel.Error) errors.push(message.text);
        message.handled = true;
      },
    });
    if (errors.length > 0) throw new Error(`API report of ${entry.subpath}:\n${errors.join('\n')}`);
    return readFileSync(join(folder, `${entry.name}.api.md`), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function configFor({ folder }: PublishedPackage, entry: EntryPoint, reportFolder: string): IConfigFile {
  return {
    projectFolder: folder,
    mainEntryPointFilePath: entry.types,
    newlineKind: 'lf',
    compiler: {
      overrideTsconfig: {
        compilerOptions: {
          target: 'es2022',
          lib: ['es2023'],
          module: 'nodenext',
          strict: true,
          skipLibCheck: true,
          types: [],
        },
        files: [entry.types],
      },
    },
    apiReport: {
      enabled: true,
      reportFolder,
      reportTempFolder: join(reportFolder, 'temp'),
      reportFileName: entry.name,
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    messages: {
      compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
      extractorMessageReporting: {
        default: { logLevel: ExtractorLogLevel.None },
        // An entry may use types that only another entry exports; the packaging tests prove that users can name them.
        'ae-forgotten-export': { logLevel: ExtractorLogLevel.None, addToApiReportFile: false },
      },
      tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
    },
  };
}
