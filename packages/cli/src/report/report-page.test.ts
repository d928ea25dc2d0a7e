import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { reportPage } from './report-page.js';

const assets = { script: 'const end = "</script>";', styles: 'body{}' };

describe('reportPage', () => {
  it('lets nothing of the data end its element, and changes no value', () => {
    const value = { text: '</script><script>alert(1)</script><!--', other: '\u2028' };
    const page = reportPage('<b>', JSON.stringify(value), assets);
    const [, json = ''] = /<script type="application\/json" id="report-data">(.*?)<\/script>/s.exec(page) ?? [];
    expect(JSON.parse(json)).toEqual(value);
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(page).toContain('<title>&#60;b&#62;</title>');
  });

  it('allows the one script that it has, and no other', () => {
    const page = reportPage('t', '{}', assets);
    const code = page.slice(page.lastIndexOf('<script>') + '<script>'.length, page.lastIndexOf('</script>'));
    const hash = createHash('sha256').update(code).digest('base64');
    expect(page).toContain(`script-src 'sha256-${hash}'`);
    expect(page).not.toContain('unsafe');
  });
});
