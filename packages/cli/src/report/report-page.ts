import { createHash } from 'node:crypto';

export interface ReportAssets {
  readonly script: string;
  readonly styles: string;
}

/**
 * One document with everything in it: no server, no network. The policy names the one script and the one style sheet by their hashes, so nothing else in
 * the file can ever act, whatever a run had in its journal.
 */
export function reportPage(title: string, json: string, { script, styles }: ReportAssets): string {
  const code = script.replaceAll('</script', '<\\/script');
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(code)}'`,
    `style-src '${hashOf(styles)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${styles}</style>
</head>
<body>
<div id="root"></div>
<noscript>This report needs JavaScript.</noscript>
<script type="application/json" id="report-data">${harmless(json)}</script>
<script>${code}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** JSON inside of a document: the same value, without anything that could end the element around it. */
function harmless(json: string): string {
  return json.replaceAll('<', '\\u003c');
}

function escaped(text: string): string {
  return text.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
